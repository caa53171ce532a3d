/// The enrolled monitors at the start and after each change.
struct EnrolmentFeed: Sendable {
  /// The monitors at the start.
  let first: [EnrolledMonitor]
  private let changes: any AsyncSequence<Void, Never> & Sendable
  private let pause: Duration
  private let clock: any Clock<Duration>
  private let read: @Sendable () async throws -> [EnrolledMonitor]

  /// - Parameter pause: The time until a store that could not be read is retried.
  /// - Throws: What the first read throws.
  init(
    changes: some AsyncSequence<Void, Never> & Sendable, pause: Duration = .seconds(5),
    clock: any Clock<Duration> = .continuous, read: @escaping @Sendable () async throws -> [EnrolledMonitor]
  ) async throws {
    self.changes = changes
    self.pause = pause
    self.clock = clock
    self.read = read
    first = try await read()
  }

  /// Passes the monitors to `handOn`, at the start and after each change, until the changes end or the task
  /// is canceled. A read that fails is retried; until then the previous list is valid.
  func run(_ handOn: @Sendable ([EnrolledMonitor]) async -> Void) async {
    await handOn(first)
    await follow(changes, handOn)
  }

  private func follow(
    _ changes: some AsyncSequence<Void, Never>, _ handOn: @Sendable ([EnrolledMonitor]) async -> Void
  ) async {
    for await _ in changes {
      if let monitors = await clock.retry(every: pause, read) { await handOn(monitors) }
    }
  }
}
