import FileSystem
import Foundation
import Glibc
import Synchronization

/// An output file that only its owner can read. It has a temporary name until it is complete. The path `-` is
/// standard output.
final class OutputFile: Sendable {
  private static let enough = 1 << 16

  /// The file; `nil` for standard output.
  private let file: AtomicFile?
  private let path: String
  private let bytes = Mutex<[UInt8]>([])

  /// Opens a file.
  ///
  /// - Throws: ``CommandError`` if the file cannot be created.
  init(_ path: String) throws {
    self.path = path
    guard path != "-" else {
      file = nil
      return
    }
    guard !path.isEmpty else {
      throw CommandError("the file name is empty; give a name, or - for standard output")
    }
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      throw CommandError(
        "\(path) is a symbolic link, which would be replaced; give the file it points to, or another file")
    }
    file = try AtomicFile.reporting(path) { () throws(AtomicFile.WriteError) in
      try AtomicFile(path, temporaryPath: "\(path).\(getpid()).part")
    }
  }

  func write(_ text: String) throws {
    try bytes.withLock { bytes in
      bytes.append(contentsOf: text.utf8)
      if bytes.count >= Self.enough { try flush(&bytes) }
    }
  }

  /// Writes the buffered data and renames the file to its final name.
  func finish() throws {
    try bytes.withLock { bytes in
      try flush(&bytes)
      try AtomicFile.reporting(path) { () throws(AtomicFile.WriteError) in
        try file?.commit(isDurable: true)
      }
    }
  }

  private func flush(_ bytes: inout [UInt8]) throws {
    if let file { try file.write(bytes, named: path) } else { try writeAll(bytes, to: STDOUT_FILENO) }
    bytes.removeAll(keepingCapacity: true)
  }
}

extension AtomicFile {
  /// - Throws: ``CommandError`` with the path and the reason.
  func write(_ bytes: [UInt8], named path: String) throws {
    try writeAll(bytes, to: descriptor, named: "\(path) cannot be written")
  }

  /// - Throws: ``CommandError`` with the path and the reason.
  static func reporting<Value>(
    _ path: String, _ body: () throws(AtomicFile.WriteError) -> Value
  ) throws(CommandError) -> Value {
    do throws(AtomicFile.WriteError) {
      return try body()
    } catch {
      switch error {
      case .notRegular:
        throw CommandError("\(path) is not a regular file; choose one, or a name that does not exist yet")
      case .system(let reason):
        throw CommandError("\(path) cannot be written: \(String(cString: strerror(reason)))")
      }
    }
  }
}
