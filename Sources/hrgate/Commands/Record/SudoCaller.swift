import Foundation
import Glibc
import PacketLog

/// The user who runs this program as root through sudo. Files made for that user should belong to that user.
struct SudoCaller: Equatable {
  var name: String
  var owner: FileOwner

  /// `nil` if this process is not root or was not started through sudo by another user.
  static var current: SudoCaller? { SudoCaller(ProcessInfo.processInfo.environment, user: geteuid()) }

  /// - Parameters:
  ///   - environment: The environment set by sudo. SUDO_UID and SUDO_GID are used if that user exists.
  ///   - user: The effective user ID of this process. Only root can change the owner of a file.
  init?(_ environment: [String: String], user: uid_t) {
    guard user == 0, let caller = environment["SUDO_UID"].flatMap({ UInt32($0) }), caller != 0,
      let group = environment["SUDO_GID"].flatMap({ UInt32($0) }), let account = getpwuid(caller)
    else { return nil }
    name = String(cString: account.pointee.pw_name)
    owner = FileOwner(user: caller, group: group)
  }
}
