import Synchronization

/// Passes a response body from the task that writes it to the thread that sends it, one piece at a time. If
/// the client reads slowly, the task waits, so memory use does not grow.
final class ResponseBody: Sendable {
  enum Part: Sendable, Hashable {
    case bytes(count: Int)
    /// No bytes are available yet. `wake` is called when there are.
    case pending
    case end
    case failure
  }

  private enum Ending {
    case complete
    case failed
  }

  private struct State {
    var piece: ArraySlice<UInt8> = []
    var writer: CheckedContinuation<Void, any Error>?
    var ending: Ending?
    var isReaderWaiting = false
    /// The client has disconnected.
    var isClosed = false

    /// Returns whether the reader is waiting and must be woken.
    mutating func stopsWaiting() -> Bool {
      defer { isReaderWaiting = false }
      return isReaderWaiting
    }
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  /// Creates an empty body.
  /// - Parameter wake: Called when bytes are available after the reader found none.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  // MARK: - Called by the writing task

  /// Waits until the thread has sent all bytes. Only one task may write.
  /// - Throws: `CancellationError` if the client has disconnected.
  func write(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    try await withCheckedThrowingContinuation { continuation in
      let (isClosed, wakes) = state.withLock { state in
        guard !state.isClosed else { return (true, false) }
        state.piece = bytes[...]
        state.writer = continuation
        return (false, state.stopsWaiting())
      }
      if isClosed { continuation.resume(throwing: CancellationError()) }
      if wakes { wake() }
    }
  }

  /// Marks the end of the body.
  func finish() { end(.complete) }

  /// Closes the connection after an error. The client then notices that the body is incomplete.
  func fail() { end(.failed) }

  private func end(_ ending: Ending) {
    let wakes = state.withLock { state in
      state.ending = ending
      return state.stopsWaiting()
    }
    if wakes { wake() }
  }

  // MARK: - Called by the sending thread

  /// Copies the next bytes into a buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Part {
    let (part, writer) = state.withLock { state -> (Part, CheckedContinuation<Void, any Error>?) in
      guard !state.isClosed else { return (.failure, nil) }
      guard state.piece.isEmpty else {
        let count = min(buffer.count, state.piece.count)
        buffer.copyBytes(from: state.piece.prefix(count))
        state.piece = state.piece.dropFirst(count)
        return (.bytes(count: count), state.piece.isEmpty ? state.writer.take() : nil)
      }
      switch state.ending {
      case .complete: return (.end, nil)
      case .failed: return (.failure, nil)
      case nil:
        state.isReaderWaiting = true
        return (.pending, nil)
      }
    }
    writer?.resume()
    return part
  }

  /// Ends the body because the client has disconnected. A task that is waiting to write gets an error.
  func close() {
    let writer = state.withLock { state in
      state.isClosed = true
      state.piece = []
      return state.writer.take()
    }
    writer?.resume(throwing: CancellationError())
  }
}
