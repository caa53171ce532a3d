internal import Glibc

/// The user whose gateway a service runs.
public struct ServiceOwner: Hashable, Sendable {
  public var name: String
  public var home: String
  public var number: UInt32

  public init(name: String, home: String, number: UInt32) {
    self.name = name
    self.home = home
    self.number = number
  }

  /// - Returns: `nil` where the machine has no such user.
  public init?(named name: String) {
    guard let entry = getpwnam(name) else { return nil }
    self.init(name: name, home: String(cString: entry.pointee.pw_dir), number: entry.pointee.pw_uid)
  }

  /// Who runs this program.
  public static var current: ServiceOwner? {
    guard let entry = getpwuid(geteuid()) else { return nil }
    return ServiceOwner(
      name: String(cString: entry.pointee.pw_name), home: String(cString: entry.pointee.pw_dir),
      number: entry.pointee.pw_uid)
  }

  /// Whether the name can be a part of a unit's: `User=` takes it as it stands, so what systemd would escape
  /// is none.
  public var canBeInstance: Bool {
    guard let first = name.utf8.first, !"-.".utf8.contains(first) else { return false }
    return name.utf8.allSatisfy { Self.letters.contains($0) }
  }

  private static let letters = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.".utf8)

  /// Where a service of this user's finds the store and the configuration.
  var storeFolder: String { home + "/.local/share/hrgate" }
  var configurationFolder: String { home + "/.config/hrgate" }

  /// The homes that the unit's own text names.
  var hasUsualHome: Bool { home == "/home/\(name)" }
}
