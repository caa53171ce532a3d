import Ingestion

/// The enrolled monitors, now and after each change.
struct EnrolmentFeed<Changes: AsyncSequence & Sendable>: Sendable
where Changes.Element == Void, Changes.Failure == Never {
  let changes: Changes
  /// After so long a store that could not be read is read again.
  var pause = Duration.seconds(5)
  let read: @Sendable () async throws -> [EnrolledMonitor]

  /// Hands them on until the changes end or the task is cancelled.
  ///
  /// - Throws: What the first read throws. Later ones are tried again: what was handed on before holds until then.
  func run(_ take: @Sendable ([EnrolledMonitor]) async -> Void) async throws {
    await take(try await read())
    for await _ in changes {
      if let monitors = await readPatiently() { await take(monitors) }
    }
  }

  /// - Returns: `nil` where the task is cancelled.
  private func readPatiently() async -> [EnrolledMonitor]? {
    while !Task.isCancelled {
      if let monitors = try? await read() { return monitors }
      try? await Task.sleep(for: pause)
    }
    return nil
  }
}
