import Dispatch
import Glibc
import Synchronization

/// Writes to a file descriptor on a thread of its own: a halted terminal (Ctrl-S), or a pipe that nobody
/// reads, blocks that thread and nobody else.
///
/// The text is asked for only when there is room for it; until then its owner can still change it.
final class BackgroundOutput: Sendable {
  private struct State {
    var isRunning = false
    var isWoken = false
    /// Why nothing is written any more: the reader is gone, or the output takes no more.
    var failure: (any Error)?
  }

  private let descriptor: Int32
  private let next: @Sendable () -> String?
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "org.hrgate.output")
  private let running = DispatchGroup()

  /// - Parameters:
  ///   - descriptor: Stays the caller's, who keeps it open.
  ///   - next: What to write next; `nil` if there is nothing until ``wake()``. Called on the thread of its
  ///     own.
  init(to descriptor: Int32, next: @escaping @Sendable () -> String?) {
    self.descriptor = descriptor
    self.next = next
  }

  /// There is something to write. Never waits.
  func wake() {
    let isToStart = state.withLock { state in
      state.isWoken = true
      guard !state.isRunning else { return false }
      state.isRunning = true
      return true
    }
    if isToStart { queue.async(group: running) { self.run() } }
  }

  /// Waits until all is written, or for so long.
  ///
  /// - Returns: Whether the output took all there was, or can take nothing any more.
  /// - Throws: ``ClosedPipe`` where the reader is gone; ``Failure`` where the output cannot take more.
  func finish(within patience: DispatchTimeInterval) throws -> Bool {
    let isDone = running.wait(timeout: .now() + patience) == .success
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

  /// What comes after a failure is passed over: it would stand behind half a line.
  private func put(_ text: String) {
    guard state.withLock({ $0.failure == nil }) else { return }
    do {
      try writeAll(Array(text.utf8), to: descriptor)
    } catch {
      state.withLock { $0.failure = error }
    }
  }
}

/// Writes all of it, for as long as that takes.
///
/// - Throws: ``ClosedPipe`` where the reader is gone; ``Failure`` where the output cannot take more.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, named name: String = "standard output") throws {
  try bytes.withUnsafeBytes { bytes in
    var written = 0
    while written < bytes.count {
      let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        // Whoever shares the descriptor has set it not to wait.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&room, 1, -1)
      } else if errno == EPIPE {
        throw ClosedPipe()
      } else if errno != EINTR {
        throw Failure("\(name): \(String(cString: strerror(errno)))")
      }
    }
  }
}
