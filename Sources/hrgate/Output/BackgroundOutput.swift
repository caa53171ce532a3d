import Dispatch
import Glibc
import Synchronization

/// Writes to a file descriptor on its own thread.
///
/// A halted terminal (Ctrl-S) or a pipe without a reader blocks only that thread. Text is requested just
/// before it is written, so the caller can change it until then.
final class BackgroundOutput: Sendable {
  private struct State {
    var isRunning = false
    var isWoken = false
    /// The error that ended the output: the reader has closed the pipe, or writing failed.
    var failure: (any Error)?
  }

  private let descriptor: Int32
  private let next: @Sendable () -> String?
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "org.hrgate.output")
  private let running = DispatchGroup()

  /// - Parameters:
  ///   - descriptor: The file descriptor. The caller owns it and keeps it open.
  ///   - next: Returns the next text, or `nil` if there is no text until ``wake()``. Called on the
  ///     output's thread.
  init(to descriptor: Int32, next: @escaping @Sendable () -> String?) {
    self.descriptor = descriptor
    self.next = next
  }

  /// Starts writing if there is text. Does not block.
  func wake() {
    let isToStart = state.withLock { state in
      state.isWoken = true
      guard !state.isRunning else { return false }
      state.isRunning = true
      return true
    }
    if isToStart { queue.async(group: running) { self.run() } }
  }

  /// Waits until everything is written or the timeout has passed.
  ///
  /// - Returns: Whether the output is complete or has failed.
  /// - Throws: ``ClosedPipeError`` if the reader has closed the pipe; ``CommandError`` if writing fails.
  func finish(within timeout: DispatchTimeInterval) throws -> Bool {
    let isDone = running.wait(timeout: .now() + timeout) == .success
    if let failure = state.withLock({ $0.failure }) { throw failure }
    return isDone
  }

  private func run() {
    while takeWork() {
      while let text = next() { put(text) }
    }
  }

  private func takeWork() -> Bool {
    state.withLock { state in
      defer { state.isWoken = false }
      state.isRunning = state.isWoken
      return state.isWoken
    }
  }

  /// Writes text. After an error text is dropped, because it would follow an incomplete line.
  private func put(_ text: String) {
    guard state.withLock({ $0.failure == nil }) else { return }
    do {
      try writeAll(Array(text.utf8), to: descriptor)
    } catch {
      state.withLock { $0.failure = error }
    }
  }
}

/// Writes all bytes. Blocks until that is done.
///
/// - Throws: ``ClosedPipeError`` if the reader has closed the pipe; ``CommandError`` if writing fails.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, named name: String = "standard output") throws {
  try bytes.withUnsafeBytes { bytes in
    var written = 0
    while written < bytes.count {
      let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        // Another process that shares the descriptor may have made it non-blocking.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&room, 1, -1)
      } else if errno == EPIPE {
        throw ClosedPipeError()
      } else if errno != EINTR {
        throw CommandError("\(name): \(String(cString: strerror(errno)))")
      }
    }
  }
}
