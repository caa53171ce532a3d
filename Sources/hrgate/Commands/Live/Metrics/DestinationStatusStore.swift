import Gateway
import HealthDataSync
import HealthSystem
import Synchronization

/// The last reported status of each sync destination of the running gateways. A store that hangs does not
/// block readers.
final class DestinationStatusStore: Sendable {
  struct Entry: Sendable {
    /// The person whose store the destination syncs; `nil` for the account owner.
    var person: String?
    var status: SyncStatus
  }

  /// Time between two queries. A query counts the pending samples, which is slow if a destination was away
  /// for months.
  private static let pause = Duration.seconds(60)

  private let statuses = Mutex<[String?: [SyncStatus]]>([:])
  private let clock: any Clock<Duration>
  private let ending: Ending

  init(clock: any Clock<Duration> = ContinuousClock(), until ending: Ending = Ending()) {
    self.clock = clock
    self.ending = ending
  }

  /// The entries of the account owner's store, followed by those of other people sorted by name.
  var entries: [Entry] {
    let statuses = statuses.withLock(\.self)
    return statuses.sorted { $0.key ?? "" < $1.key ?? "" }.flatMap { person, statuses in
      statuses.map { Entry(person: person, status: $0) }
    }
  }

  /// Runs `work` and meanwhile polls the status of the gateway's destinations.
  func watch(_ gateway: HeartRateGateway, during work: @escaping @Sendable () async throws -> Void)
    async throws
  {
    let destinations = try? SyncDestinations(gateway.registry.store.healthStore)
    // Not a child task: a query that hangs would delay the end of `work`.
    let looking = Task {
      while !Task.isCancelled, let destinations {
        await look(destinations, gateway.person)
        try? await clock.sleep(for: Self.pause)
      }
    }
    defer { looking.cancel() }
    try await work()
    if let destinations { await lookOnceMore(destinations, gateway.person) }
  }

  func look(_ destinations: SyncDestinations, _ person: String?) async {
    guard let found = try? await destinations.status() else { return }
    statuses.withLock { $0[person] = found }
  }

  /// Queries the status a last time, at most for the time that the run has left.
  private func lookOnceMore(_ destinations: SyncDestinations, _ person: String?) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let looks = [
      Task {
        await look(destinations, person)
        end.finish()
      },
      Task {
        try? await Task.sleep(for: ending.timeout)
        end.finish()
      },
    ]
    // Wait in a new task. The surrounding task is already canceled, so it would not wait for the stream.
    await Task { for await _ in ends {} }.value
    for look in looks { look.cancel() }
  }
}
