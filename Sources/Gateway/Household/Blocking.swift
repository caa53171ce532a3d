import Dispatch

/// Does work that blocks its thread, on a thread of its own.
///
/// The threads of tasks are as few as the processors: two stores that are waited for would stop everybody's
/// work on a small machine.
func blocking<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { done in
    DispatchQueue.global().async { done.resume(with: Result(catching: work)) }
  }
}

/// A task's value, for whoever does not wait for what hangs.
/// - Throws: What the task throws; `CancellationError` as soon as whoever waits is cancelled, and the task is
///   left behind.
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
