import Foundation
import Glibc
import Synchronization

/// A file that a command writes: private, and under its name only when it is whole. `-` is standard output.
final class OutputFile: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isFinished = false
  }

  private static let enough = 1 << 16

  private let path: String
  private let temporary: String?
  private let descriptor: Int32
  private let state = Mutex(State())

  /// - Throws: ``Failure`` where no file can be made there.
  init(_ path: String) throws {
    self.path = path
    guard path != "-" else {
      self.temporary = nil
      descriptor = STDOUT_FILENO
      return
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw Failure("\(path) is no regular file: name one, or a place where there is none yet")
    }
    let temporary = "\(path).\(getpid()).part"
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure("\(path) cannot be written: \(Self.reason)") }
    self.temporary = temporary
  }

  deinit {
    guard let temporary else { return }
    close(descriptor)
    if !state.withLock(\.isFinished) { unlink(temporary) }
  }

  func write(_ text: String) throws {
    try state.withLock { state in
      state.bytes.append(contentsOf: text.utf8)
      if state.bytes.count >= Self.enough { try flush(&state) }
    }
  }

  /// To be called when all is written: the file has its name from then on.
  func finish() throws {
    try state.withLock { state in
      try flush(&state)
      guard let temporary else { return }
      guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
        throw Failure("\(path) cannot be written: \(Self.reason)")
      }
      state.isFinished = true
    }
  }

  private func flush(_ state: inout State) throws {
    try writeAll(state.bytes, to: descriptor, named: temporary == nil ? "standard output" : path)
    state.bytes.removeAll(keepingCapacity: true)
  }

  private static var reason: String { String(cString: strerror(errno)) }
}
