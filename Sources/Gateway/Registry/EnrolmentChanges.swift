import HealthKit
import HealthStorage
import HealthSystem

/// Emits an element whenever a monitor was enrolled, enrolled again or forgotten. For one consumer; ends
/// with the task.
struct EnrolmentChanges<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
  typealias Element = Void
  typealias Failure = Never

  typealias Revisions = [AddressRecord: Int]

  private let clock: C
  private let ticks: AsyncStream<Void>
  private let revisions: @Sendable () async throws -> Revisions
  private let known: Revisions

  init(_ store: SystemStore, clock: C) async throws {
    // Subscribe before reading, so that no enrollment between the two calls is missed.
    let ticks = store.database.commits(.low)
    try await self.init(ticks: ticks, clock: clock) { [database = store.database] in
      try await HKError.translating { try await database.monitorRevisions() }
    }
  }

  /// - Parameters:
  ///   - ticks: One element for each commit to the store, or for several.
  ///   - revisions: Reads the number of enrollments of each monitor.
  init(ticks: AsyncStream<Void>, clock: C, revisions: @escaping @Sendable () async throws -> Revisions)
    async throws
  {
    self.ticks = ticks
    self.clock = clock
    self.revisions = revisions
    known = try await revisions()
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(revisions: revisions, clock: clock, ticks: ticks.makeAsyncIterator(), known: known)
  }

  struct Iterator: AsyncIteratorProtocol {
    /// Minimum time between two reads of the store: the longest delay of an enrollment.
    private static var pause: Duration { .seconds(5) }

    private let revisions: @Sendable () async throws -> Revisions
    private let clock: C
    private var ticks: AsyncStream<Void>.Iterator
    private var known: Revisions
    private var looked: C.Instant?

    fileprivate init(
      revisions: @escaping @Sendable () async throws -> Revisions, clock: C,
      ticks: AsyncStream<Void>.Iterator, known: Revisions
    ) {
      self.revisions = revisions
      self.clock = clock
      self.ticks = ticks
      self.known = known
    }

    mutating func next() async -> Void? {
      while await ticks.next() != nil {
        // The gateway's own commits tick as well, several times each.
        if let next = looked?.advanced(by: Self.pause), clock.now < next {
          try? await clock.sleep(until: next, tolerance: nil)
        }
        // The next commit may be far away, so retry if the store cannot be read now.
        let now = await clock.retry(every: Self.pause) {
          looked = clock.now
          return try await revisions()
        }
        guard let now else { return nil }
        guard now != known else { continue }
        known = now
        return ()
      }
      return nil
    }
  }
}
