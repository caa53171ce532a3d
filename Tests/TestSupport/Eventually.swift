/// Asks again and again until the condition holds; false where it does not in two minutes, or the test is
/// ended.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(120)
  while ContinuousClock.now < deadline, !Task.isCancelled {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  // The limit may pass between two looks.
  return try await condition()
}
