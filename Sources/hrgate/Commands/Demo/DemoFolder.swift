import FileSystem
import Foundation
import Glibc

/// The private directory of a demonstration, which exists only while it runs.
final class DemoFolder: Sendable {
  private static let prefix = "hrgate-demo-"
  /// Age in seconds from which an unlocked directory is removed as a leftover. The process of a younger one
  /// may not have locked it yet.
  private static let leftoverAge = 60.0

  let path: String
  private let lock: FileLock

  var store: String { path + "/demo.sqlite" }

  /// Creates the directory with mode 0700, and removes those of demonstrations that were killed.
  /// - Throws: ``CommandError``.
  init(in parent: String = NSTemporaryDirectory()) throws {
    let parent = parent.count > 1 && parent.hasSuffix("/") ? String(parent.dropLast()) : parent
    Self.removeLeftovers(in: parent)
    var name = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw CommandError("no directory can be created in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do {
      lock = try FileLock(temporaryFile: path + "/lock")
    } catch {
      rmdir(path)
      throw CommandError("\(path) cannot be locked: \(error)")
    }
  }

  func remove() {
    lock.release()
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Removes directories of this user whose demonstration has ended without removing them.
  private static func removeLeftovers(in parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
        Date.now.timeIntervalSince1970 - Double(status.st_mtim.tv_sec) > leftoverAge,
        FileLock.isTaken(path + "/lock") == false
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}
