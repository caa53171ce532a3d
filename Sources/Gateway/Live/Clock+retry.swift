extension Clock where Duration == Swift.Duration {
  /// Retries an attempt that fails while a store cannot be read, with a pause in between.
  /// - Returns: `nil` if the task is cancelled.
  func retry<Value>(every pause: Duration, _ attempt: () async throws -> Value) async -> Value? {
    while !Task.isCancelled {
      if let value = try? await attempt() { return value }
      try? await sleep(for: pause)
    }
    return nil
  }
}
