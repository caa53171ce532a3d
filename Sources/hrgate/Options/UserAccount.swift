import Glibc

/// A user of this machine.
struct UserAccount: Hashable {
  var name: String
  var home: String
  var number: UInt32

  /// - Returns: `nil` if the machine has no such user.
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

  /// The system's unit that runs this user's gateway. `nil` if the name cannot be an instance name: `User=%i` takes
  /// the instance literally, without systemd's escapes, and reads digits as a user number.
  var serviceUnit: String? {
    guard name.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9_.-]*/) != nil, name.contains(/[^0-9]/) else {
      return nil
    }
    return "hrgate@\(name).service"
  }
}
