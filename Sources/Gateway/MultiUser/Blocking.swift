import Dispatch

/// Runs blocking work on a thread of its own.
///
/// Swift's thread pool for tasks has one thread per core, so on a machine with two cores, two blocking calls
/// would stop all tasks.
func blocking<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { done in
    DispatchQueue.global().async { done.resume(with: Result(catching: work)) }
  }
}

/// Waits for the value of a task, but only until the caller is canceled.
/// - Throws: The error of the task; `CancellationError` as soon as the caller is canceled. The task then
///   continues, and its result is ignored.
func valueUnlessCancelled<Value: Sendable>(of task: Task<Value, any Error>) async throws -> Value {
  let (values, value) = AsyncThrowingStream.makeStream(of: Value.self)
  Task {
    do {
      value.yield(try await task.value)
      value.finish()
    } catch {
      value.finish(throwing: error)
    }
  }
  for try await value in values { return value }
  throw CancellationError()
}
