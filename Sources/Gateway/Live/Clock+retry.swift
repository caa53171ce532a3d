extension Clock where Duration == Swift.Duration {
  /// Tries what fails while a store cannot be read, again after each pause.
  /// - Returns: `nil` if the task is cancelled.
  func retry<Value>(every pause: Duration, _ attempt: () async throws -> Value) async -> Value? {
    while !Task.isCancelled {
      if let value = try? await attempt() { return value }
      try? await sleep(for: pause)
    }
    return nil
  }
}
