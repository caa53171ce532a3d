import Gateway
import HealthDataSync
import HealthSystem
import Synchronization

/// How the destinations of running gateways stand, as they said last: a store that hangs keeps nobody
/// waiting.
final class DestinationBoard: Sendable {
  struct Entry: Sendable {
    /// Whose store it carries; `nil` for the owner's.
    var person: String?
    var status: SyncStatus
  }

  /// Seldom, as what waits is counted: where a destination has been away for months that is much.
  private static let pause = Duration.seconds(60)

  private let statuses = Mutex<[String?: [SyncStatus]]>([:])
  private let clock: any Clock<Duration>
  private let ending: Ending

  init(clock: any Clock<Duration> = ContinuousClock(), until ending: Ending = Ending()) {
    self.clock = clock
    self.ending = ending
  }

  /// The owner's before the others', each one's in the order of their names.
  var entries: [Entry] {
    let statuses = statuses.withLock(\.self)
    return statuses.sorted { $0.key ?? "" < $1.key ?? "" }.flatMap { person, statuses in
      statuses.map { Entry(person: person, status: $0) }
    }
  }

  /// Does the work, and looks meanwhile how the destinations of its gateway are.
  func watch(_ gateway: HeartRateGateway, during work: @escaping @Sendable () async throws -> Void)
    async throws
  {
    let destinations = try? SyncDestinations(gateway.registry.store.healthStore)
    // No child: one that hangs would keep the work from its end.
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

  /// At the end, for the last word.
  private func lookOnceMore(_ destinations: SyncDestinations, _ person: String?) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let looks = [
      Task {
        await look(destinations, person)
        end.finish()
      },
      Task {
        try? await Task.sleep(for: ending.patience)
        end.finish()
      },
    ]
    // Whoever waits was cancelled, and so would be a loop over the ends.
    await Task { for await _ in ends {} }.value
    for look in looks { look.cancel() }
  }
}
