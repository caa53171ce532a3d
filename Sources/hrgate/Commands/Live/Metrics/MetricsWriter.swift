import Dispatch
import Synchronization

/// Writes metrics on its own thread, so that a file system that hangs blocks neither the gateway nor its end.
final class MetricsWriter: Sendable {
  /// The error that is reported if a write times out.
  static let hanging = CommandError(
    "the file system of the metrics file does not respond; check its disk or network")

  private let write: @Sendable (String) throws -> Void
  private let underWay = Mutex(0)
  private let queue = DispatchQueue(label: "org.hrgate.metrics")

  /// - Parameter write: Writes a text; may block.
  init(_ write: @escaping @Sendable (String) throws -> Void) { self.write = write }

  /// Writes the text, unless an earlier write is still running.
  ///
  /// - Parameters:
  ///   - isLast: Whether the text is queued even while an earlier write is running.
  ///   - timeout: The timeout.
  /// - Throws: The error of the write, ``hanging`` after the timeout, or `CancellationError`.
  func put(_ text: String, isLast: Bool = false, within timeout: DispatchTimeInterval) async throws {
    let isFirst = underWay.withLock { underWay in
      guard underWay == 0 || isLast else { return false }
      underWay += 1
      return true
    }
    guard isFirst else { throw Self.hanging }
    let (outcomes, outcome) = AsyncThrowingStream.makeStream(of: Void.self)
    queue.async { [self] in
      let result = Result { try write(text) }
      underWay.withLock { $0 -= 1 }
      if case .failure(let error) = result { return outcome.finish(throwing: error) }
      outcome.yield()
      outcome.finish()
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { outcome.finish(throwing: Self.hanging) }
    for try await _ in outcomes { return }
    throw CancellationError()
  }
}
