/// Runs `body` until it returns or the user interrupts it. An interruption cancels its task and waits for it.
///
/// - Returns: The result of `body`.
/// - Throws: The error of `body`; `CancellationError` if it has no result after an interruption.
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
