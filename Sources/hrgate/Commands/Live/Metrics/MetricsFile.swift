import FileSystem
import Glibc
import Synchronization

/// The file that the textfile collector of Prometheus' node exporter reads. Each gateway needs its own file.
final class MetricsFile: Sendable {
  let path: String
  private let mode: mode_t
  private let lock = Mutex<FileLock?>(nil)

  /// - Parameter isGroups: Whether the file's group may read it; otherwise only its owner.
  init(_ path: String, isGroups: Bool) {
    self.path = path
    mode = isGroups ? 0o640 : 0o600
  }

  /// Replaces the file atomically: a reader gets either the old or the new text. Blocks on the disk.
  /// - Throws: ``CommandError`` if the file cannot be written, or if another gateway writes it.
  func write(_ text: String) throws {
    try lock.withLock { lock in
      if lock == nil { lock = try takeLock() }
      // Remove the draft of a gateway that was killed while it wrote. Prometheus collectors ignore files with
      // this suffix.
      let draft = Self.name(path, "new")
      unlink(draft)
      let file = try AtomicFile.reporting(path) { () throws(AtomicFile.WriteError) in
        try AtomicFile(path, temporaryPath: draft, mode: mode)
      }
      try file.write(Array(text.utf8), named: path)
      // Do not sync the file to the disk. It is rewritten every few seconds, so it need not survive a power
      // failure.
      try AtomicFile.reporting(path) { () throws(AtomicFile.WriteError) in
        try file.commit(isDurable: false)
      }
    }
  }

  private func takeLock() throws(CommandError) -> FileLock {
    do throws(FileLock.LockError) {
      // Wait up to one second, because a gateway that is ending may still hold the lock.
      let lock = try FileLock(temporaryFile: Self.name(path, "lock"), timeout: 1_000_000)
      lock.recordProcess()
      return lock
    } catch {
      switch error {
      case .taken(let process):
        throw CommandError(
          "\(path) is in use by another gateway\(process.map { " (process \($0))" } ?? ""); "
            + "give each gateway its own metrics file")
      case .system(_, let reason):
        throw CommandError("\(path) cannot be written: \(String(cString: strerror(reason)))")
      }
    }
  }

  private static func name(_ path: String, _ ending: String) -> String {
    let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    return "\(path[..<slash]).\(path[slash...]).\(ending)"
  }
}
