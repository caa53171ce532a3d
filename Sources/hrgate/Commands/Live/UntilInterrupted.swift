/// Runs `body` until it ends or the user wishes it to; then its task is cancelled and its result awaited.
///
/// - Returns: What `body` returns.
/// - Throws: What it throws; `CancellationError` where it has nothing to say after an interruption.
func untilInterrupted<Value: Sendable>(
  _ interruption: Interruption, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let (wishes, wish) = AsyncStream.makeStream(of: Void.self)
  interruption.onHappening { wish.finish() }
  return try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      for await _ in wishes {}
      return nil
    }
    while let outcome = try await group.next() {
      group.cancelAll()
      if let outcome { return outcome }
    }
    throw CancellationError()
  }
}
