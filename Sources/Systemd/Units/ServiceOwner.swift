internal import Foundation
internal import Glibc

/// The user whose gateway a service runs.
public struct ServiceOwner: Hashable, Sendable {
  public var name: String
  public var home: String
  public var number: UInt32
  /// The user's own group.
  public var group: UInt32

  public init(name: String, home: String, number: UInt32, group: UInt32) {
    self.name = name
    self.home = home
    self.number = number
    self.group = group
  }

  /// - Returns: `nil` where the machine has no such user.
  public init?(named name: String) {
    guard let entry = getpwnam(name) else { return nil }
    self.init(entry.pointee)
  }

  /// - Parameter image: The root directory of a machine that does not run; its own table of users is read.
  /// - Returns: `nil` where it has no such user, or no table.
  public init?(named name: String, inImage image: String) {
    guard let table = try? String(contentsOfFile: image + "/etc/passwd", encoding: .utf8) else { return nil }
    for line in table.split(separator: "\n") {
      // passwd(5): name, password, user, group, comment, home, shell.
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count > 5, fields[0] == name, let number = UInt32(fields[2]),
        let group = UInt32(fields[3]), fields[5].hasPrefix("/")
      else { continue }
      self.init(name: name, home: String(fields[5]), number: number, group: group)
      return
    }
    return nil
  }

  /// Who runs this program.
  public static var current: ServiceOwner? {
    guard let entry = getpwuid(geteuid()) else { return nil }
    return ServiceOwner(entry.pointee)
  }

  private init(_ entry: passwd) {
    self.init(
      name: String(cString: entry.pw_name), home: String(cString: entry.pw_dir), number: entry.pw_uid,
      group: entry.pw_gid)
  }

  public var isCurrent: Bool { number == geteuid() }

  /// Whether the name can be a part of a unit's: `User=` takes it as it stands, so what systemd would escape
  /// is none, and neither is what it would take for a user's number.
  public var canBeInstance: Bool {
    guard let first = name.utf8.first, !"-.".utf8.contains(first) else { return false }
    return name.utf8.allSatisfy { Self.letters.contains($0) }
      && !name.utf8.allSatisfy { Self.digits.contains($0) }
  }

  private static let digits = Set("0123456789".utf8)
  private static let letters = digits.union(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.".utf8)
}
