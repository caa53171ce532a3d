import FileSystem
import Glibc
import Synchronization

/// The file in which Prometheus' node exporter (its textfile collector) finds metrics: one gateway's alone.
final class MetricsFile: Sendable {
  let path: String
  private let mode: mode_t
  private let lock = Mutex<FileLock?>(nil)

  /// - Parameter isGroups: Whether the file's group may read it; else its owner alone.
  init(_ path: String, isGroups: Bool) {
    self.path = path
    mode = isGroups ? 0o640 : 0o600
  }

  /// Puts the text in the place of what was there, at once: whoever reads it reads the one or the other.
  /// Waits for the disk.
  /// - Throws: ``Failure``: it cannot be written, or another program's gateway writes it.
  func write(_ text: String) throws {
    try lock.withLock { lock in
      if lock == nil { lock = try takeLock() }
      // A name that no collector reads. What a run left that was killed meanwhile is taken away.
      let draft = Self.name(path, "new")
      unlink(draft)
      let file = try AtomicFile.reporting(path) { () throws(AtomicFile.WriteError) in
        try AtomicFile(path, temporaryPath: draft, mode: mode)
      }
      try file.write(Array(text.utf8), named: path)
      // It is replaced in some seconds, so it need not survive a power failure.
      try AtomicFile.reporting(path) { () throws(AtomicFile.WriteError) in
        try file.commit(isDurable: false)
      }
    }
  }

  private func takeLock() throws(Failure) -> FileLock {
    do throws(FileLock.LockError) {
      // A gateway that is ending needs a moment.
      let lock = try FileLock(temporaryFile: Self.name(path, "lock"), timeout: 1_000_000)
      lock.recordProcess()
      return lock
    } catch {
      switch error {
      case .taken(let process):
        throw Failure(
          "\(path) is written by another gateway\(process.map { " (process \($0))" } ?? ""): "
            + "give each gateway a file of its own")
      case .system(_, let reason):
        throw Failure("\(path) cannot be written: \(String(cString: strerror(reason)))")
      }
    }
  }

  private static func name(_ path: String, _ ending: String) -> String {
    let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    return "\(path[..<slash]).\(path[slash...]).\(ending)"
  }
}
