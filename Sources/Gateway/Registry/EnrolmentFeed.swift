/// The monitors of a store, at the start and after each change.
struct EnrolmentFeed: Sendable {
  /// The monitors at the start.
  let first: [EnrolledMonitor]
  private let changes: any AsyncSequence<Void, Never> & Sendable
  private let pause: Duration
  private let clock: any Clock<Duration>
  private let read: @Sendable () async throws -> [EnrolledMonitor]

  /// - Parameter pause: The delay between retries if the store cannot be read.
  /// - Throws: The error of the first read.
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

  /// Calls `handOn` with the monitors of the store, at the start and after each change, until the changes end
  /// or the task is canceled. Failed reads are retried; until they succeed, the previous list stays valid.
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
