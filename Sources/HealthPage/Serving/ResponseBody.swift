import Synchronization

/// Hands a response body from the task that writes it to the thread that sends it, one piece at a time: a
/// slow reader holds back the task, and nothing accumulates in between.
final class ResponseBody: Sendable {
  enum Part: Sendable, Hashable {
    case bytes(count: Int)
    /// Nothing is there now. `wake` is called when there is.
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
    /// The client has gone.
    var isClosed = false

    /// Whether a reader has to be woken.
    mutating func stopsWaiting() -> Bool {
      defer { isReaderWaiting = false }
      return isReaderWaiting
    }
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  /// - Parameter wake: Called when a reader that found nothing can read on.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  // MARK: - The task that writes

  /// Waits until the sender has taken all of the bytes. One task writes.
  /// - Throws: `CancellationError` when the client has gone.
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

  /// Nothing follows.
  func finish() { end(.complete) }

  /// The rest cannot be written: the connection is closed, so that the client does not take what it has for
  /// the whole.
  func fail() { end(.failed) }

  private func end(_ ending: Ending) {
    let wakes = state.withLock { state in
      state.ending = ending
      return state.stopsWaiting()
    }
    if wakes { wake() }
  }

  // MARK: - The thread that sends

  /// Copies the next bytes.
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

  /// Lets the task go: nobody reads any more.
  func close() {
    let writer = state.withLock { state in
      state.isClosed = true
      state.piece = []
      return state.writer.take()
    }
    writer?.resume(throwing: CancellationError())
  }
}
