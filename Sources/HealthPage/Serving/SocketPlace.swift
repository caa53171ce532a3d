import Foundation
import Glibc

/// The file of a server's socket, in a folder that no other user enters.
struct SocketPlace: Sendable {
  let path: String

  private static let beginning = "page-"
  private static let end = ".sock"

  /// Makes the folder, and what it lies in, where there is none.
  /// - Throws: ``PageFailure`` where others can enter it, or the path is longer than an address can be.
  init(in folder: String, port: Int) throws(PageFailure) {
    path = "\(folder)/\(Self.beginning)\(port)\(Self.end)"
    // With the zero behind it.
    guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
      throw PageFailure("the path \(path) is too long for a socket")
    }
    // A store that is elsewhere leaves the home of stores unmade.
    try? FileManager.default.createDirectory(
      atPath: URL(filePath: folder).deletingLastPathComponent().path, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw PageFailure("the folder \(folder) cannot be made: \(String(cString: strerror(errno)))")
    }
    guard Self.isOwners(folder) else {
      throw PageFailure("others can enter the folder \(folder): give it to its owner alone (chmod 700)")
    }
  }

  /// Whether nobody else can put a socket there, or reach one.
  private static func isOwners(_ folder: String) -> Bool {
    var status = stat()
    return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }

  func restrict() throws(PageFailure) {
    guard chmod(path, 0o600) == 0 else {
      throw PageFailure("the socket \(path) cannot be closed to others: \(String(cString: strerror(errno)))")
    }
  }

  func remove() { unlink(path) }

  /// The sockets of a folder, those of servers that were killed among them. What lies where others come in
  /// is asked nothing, and believed nothing.
  static func all(in folder: String) -> [String] {
    guard isOwners(folder) else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix(beginning) && $0.hasSuffix(end) }.sorted().map { "\(folder)/\($0)" }
  }
}
