/// A result that one task waits for and another thread supplies.
struct Promise<Value: Sendable>: Sendable {
  private let results: AsyncThrowingStream<Value, any Error>
  private let result: AsyncThrowingStream<Value, any Error>.Continuation

  init() { (results, result) = AsyncThrowingStream.makeStream() }

  /// Supplies the result. Later results are ignored.
  func resolve(_ result: Result<Value, any Error>) {
    self.result.yield(with: result)
    self.result.finish()
  }

  /// Returns the value. Call this only once.
  ///
  /// - Throws: `CancellationError` if the task is canceled first.
  func value() async throws -> Value {
    for try await value in results { return value }
    throw CancellationError()
  }
}
