/// Asks again and again until the condition holds; false where it does not within the limit, which nobody reaches whose
/// condition comes to hold at all, however busy the machine is.
func eventually(within limit: Duration = .seconds(120), _ condition: () async throws -> Bool) async rethrows
  -> Bool
{
  let deadline = ContinuousClock.now + limit
  while ContinuousClock.now < deadline {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  // The limit may pass between two looks.
  return try await condition()
}
