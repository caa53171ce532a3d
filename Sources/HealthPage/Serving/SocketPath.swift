import Foundation
import Glibc
import HealthStorage

/// The path of the server's Unix domain socket, in a directory that no other user can enter.
struct SocketPath: Sendable {
  let path: String

  private static let beginning = "page-"
  private static let end = ".sock"

  /// Creates the directory and its parent if they do not exist.
  /// - Throws: ``PageServerError`` if other users can enter the directory, or the path is too long for a
  ///   socket address.
  init(in folder: String, port: Int) throws(PageServerError) {
    path = "\(folder)/\(Self.beginning)\(port)\(Self.end)"
    // The address needs a terminating zero.
    guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
      throw PageServerError("the path \(path) is too long for a socket")
    }
    // The parent directory may not exist if the store is at another path.
    try? FileManager.default.createDirectory(
      atPath: folder.enclosingFolder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw PageServerError("cannot create the directory \(folder): \(String(cString: strerror(errno)))")
    }
    guard Self.isOwners(folder) else {
      throw PageServerError("other users can enter the directory \(folder): run chmod 700 on it")
    }
  }

  /// Returns whether a directory belongs to this user and no other user can enter it.
  private static func isOwners(_ folder: String) -> Bool {
    var status = stat()
    return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }

  func restrict() throws(PageServerError) {
    guard chmod(path, 0o600) == 0 else {
      throw PageServerError(
        "cannot restrict access to the socket \(path): \(String(cString: strerror(errno)))")
    }
  }

  func remove() { unlink(path) }

  /// Returns the paths of all sockets in a directory, including those left by servers that were killed. If
  /// other users can enter the directory, returns an empty array, because the sockets may be theirs.
  static func all(in folder: String) -> [String] {
    guard isOwners(folder) else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix(beginning) && $0.hasSuffix(end) }.sorted().map { "\(folder)/\($0)" }
  }
}
