import Dispatch
import Synchronization

/// Writes metrics on a thread of its own: a file system that hangs keeps neither the gateway nor its end
/// waiting.
final class MetricsWriter: Sendable {
  /// What is told of a file system that hangs.
  static let hanging = Failure("the file system does not answer")

  private let write: @Sendable (String) throws -> Void
  private let underWay = Mutex(0)
  private let queue = DispatchQueue(label: "org.hrgate.metrics")

  /// - Parameter write: Writes a text, and may take its time.
  init(_ write: @escaping @Sendable (String) throws -> Void) { self.write = write }

  /// Writes the text, unless what was to be written before is still under way.
  ///
  /// - Parameters:
  ///   - isLast: The text is written behind what is under way.
  ///   - patience: So long is waited for it.
  /// - Throws: Why it is not written, ``hanging`` where that is not known yet; `CancellationError`.
  func put(_ text: String, isLast: Bool = false, within patience: DispatchTimeInterval) async throws {
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
    DispatchQueue.global().asyncAfter(deadline: .now() + patience) { outcome.finish(throwing: Self.hanging) }
    for try await _ in outcomes { return }
    throw CancellationError()
  }
}
