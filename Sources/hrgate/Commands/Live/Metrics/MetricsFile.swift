import Glibc
import Synchronization

/// The file in which Prometheus' node exporter (its textfile collector) finds metrics: one gateway's alone.
final class MetricsFile: Sendable {
  let path: String
  private let readers: DraftFile.Readers
  private let lock = Mutex<MetricsLock?>(nil)

  /// - Parameter isGroups: Whether the file's group may read it; else its owner alone.
  init(_ path: String, isGroups: Bool) {
    self.path = path
    readers = isGroups ? .group : .owner
  }

  /// Puts the text in the place of what was there, at once: whoever reads it reads the one or the other.
  /// Waits for the disk.
  /// - Throws: ``Failure``: it cannot be written, or another program's gateway writes it.
  func write(_ text: String) throws {
    try lock.withLock { lock in
      if lock == nil { lock = try MetricsLock(for: path, named: Self.name(path, "lock")) }
      // A name that no collector reads. What a run left that was killed meanwhile is taken away.
      let draft = Self.name(path, "new")
      unlink(draft)
      let file = try DraftFile(of: path, until: draft, for: readers)
      try file.write(Array(text.utf8))
      // It is anew in some seconds, so it need not outlive a power cut.
      try file.takePlace(isKept: false)
    }
  }

  private static func name(_ path: String, _ ending: String) -> String {
    let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    return "\(path[..<slash]).\(path[slash...]).\(ending)"
  }
}

/// The kernel's lock on a file beside the metrics, as long as it lives: it goes with the program, however
/// that ends.
private final class MetricsLock: Sendable {
  /// A gateway that ends at this moment is waited for so often,
  private static let tries = 10
  /// and for so long, in microseconds, each time.
  private static let pause: UInt32 = 100_000

  private let name: String
  private let descriptor: Int32

  /// - Parameters:
  ///   - path: What it is for.
  ///   - name: The file to lock.
  /// - Throws: ``Failure``.
  init(for path: String, named name: String) throws {
    self.name = name
    descriptor = try Self.locked(name, for: path)
    let process = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = process.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  deinit {
    // While it is locked: nobody takes away what another has made since.
    unlink(name)
    close(descriptor)
  }

  private static func locked(_ name: String, for path: String) throws -> Int32 {
    var holder: Int32?
    for attempt in 1...tries {
      let descriptor = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw Failure("\(path) cannot be written: \(String(cString: strerror(errno)))")
      }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isStill(descriptor, at: name) { return descriptor }
      holder = process(descriptor)
      close(descriptor)
      if attempt < tries { usleep(pause) }
    }
    throw Failure(
      "\(path) is written by another gateway\(holder.map { " (process \($0))" } ?? ""): "
        + "give each gateway a file of its own")
  }

  /// Whoever held it may have taken it away.
  private static func isStill(_ descriptor: Int32, at name: String) -> Bool {
    var (mine, there) = (stat(), stat())
    return fstat(descriptor, &mine) == 0 && lstat(name, &there) == 0 && mine.st_ino == there.st_ino
      && mine.st_dev == there.st_dev
  }

  /// Who has signed it.
  private static func process(_ descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").first
      .flatMap { Int32($0) }
  }
}
