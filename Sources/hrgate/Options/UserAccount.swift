import Foundation
import Glibc
import PacketLog

/// A user of this machine.
struct UserAccount: Hashable {
  var name: String
  var home: String
  var number: UInt32

  /// Looks up a user of this machine by name.
  /// - Returns: `nil` if there is no such user.
  init?(named name: String) {
    guard let entry = getpwnam(name) else { return nil }
    self.init(entry.pointee)
  }

  /// The user that runs this program.
  static var current: UserAccount? { getpwuid(geteuid()).map { UserAccount($0.pointee) } }

  private init(_ entry: passwd) {
    name = String(cString: entry.pw_name)
    home = String(cString: entry.pw_dir)
    number = entry.pw_uid
  }

  init(name: String, home: String, number: UInt32) {
    self.name = name
    self.home = home
    self.number = number
  }

  var isCurrent: Bool { number == geteuid() }

  /// The name of the system unit that runs this user's gateway. `nil` if the user name cannot be an instance
  /// name, because `User=%i` takes the instance literally, without systemd's escapes, and reads digits as a
  /// user ID.
  var serviceUnit: String? {
    guard name.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9_.-]*/) != nil, name.contains(/[^0-9]/) else {
      return nil
    }
    return "hrgate@\(name).service"
  }
}

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
