import Foundation
import Glibc
import PacketLog

/// Whoever has this program run as root by sudo: what it makes for him is to be his.
struct SudoCaller: Equatable {
  var name: String
  var owner: FileOwner

  /// `nil` where this is not root, or not by another's sudo.
  static var current: SudoCaller? { SudoCaller(ProcessInfo.processInfo.environment, user: geteuid()) }

  /// - Parameters:
  ///   - environment: As sudo leaves it: SUDO_UID and SUDO_GID. They are believed where there is such a user.
  ///   - user: As whom this program runs. Others than root can make a file nobody else's.
  init?(_ environment: [String: String], user: uid_t) {
    guard user == 0, let caller = environment["SUDO_UID"].flatMap({ UInt32($0) }), caller != 0,
      let group = environment["SUDO_GID"].flatMap({ UInt32($0) }), let account = getpwuid(caller)
    else { return nil }
    name = String(cString: account.pointee.pw_name)
    owner = FileOwner(user: caller, group: group)
  }
}
