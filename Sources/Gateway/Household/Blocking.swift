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
