/// The enrolled monitors, now and after each change.
struct EnrolmentFeed: Sendable {
  /// The monitors at the beginning.
  let first: [EnrolledMonitor]
  private let changes: any AsyncSequence<Void, Never> & Sendable
  private let pause: Duration
  private let clock: any Clock<Duration>
  private let read: @Sendable () async throws -> [EnrolledMonitor]

  /// - Parameter pause: After so long a store that could not be read is read again.
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

  /// Hands the monitors on, now and whenever they change, until the changes end or the task is cancelled. A
  /// read that fails is tried again; until then the last list holds.
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
