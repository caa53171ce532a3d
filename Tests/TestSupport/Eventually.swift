/// Maximum time that a test waits for a condition. It only ends a test that hangs, before the limit of 30
/// minutes of its suite does.
let hangLimit: Duration = .seconds(1500)

/// Polls the condition until it holds. Returns false if it does not within `hangLimit`, or if the test is
/// canceled.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + hangLimit
  while ContinuousClock.now < deadline, !Task.isCancelled {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  // The condition may have changed in the time between the last poll and the limit.
  return try await condition()
}
