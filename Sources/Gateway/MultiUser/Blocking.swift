import Dispatch

/// Runs blocking work on a thread of its own.
///
/// The thread pool for tasks has one thread per core. Two stores that block would stop all work on a small
/// machine.
func blocking<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { done in
    DispatchQueue.global().async { done.resume(with: Result(catching: work)) }
  }
}

/// Returns the value of a task, or stops waiting when the caller is canceled.
/// - Throws: The error of the task; `CancellationError` as soon as the caller is canceled. The task then
///   continues without a reader.
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
