import HealthKit
import HealthStorage
import HealthSystem

/// A sequence with an element each time a monitor was added to the store, updated by a new pairing, or
/// removed. It supports one consumer, and ends when its task is canceled.
struct EnrolmentChanges<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
  typealias Element = Void
  typealias Failure = Never

  typealias Revisions = [AddressRecord: Int]

  private let clock: C
  private let ticks: AsyncStream<Void>
  private let revisions: @Sendable () async throws -> Revisions
  private let known: Revisions

  init(_ store: SystemStore, clock: C) async throws {
    // Subscribe before reading, so that no change in between is missed.
    let ticks = store.database.commits(.low)
    try await self.init(ticks: ticks, clock: clock) { [database = store.database] in
      try await HKError.translating { try await database.monitorRevisions() }
    }
  }

  /// - Parameters:
  ///   - ticks: A stream with an element after one or more commits to the store.
  ///   - revisions: Reads how many times each monitor was paired.
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
    /// Minimum time between two reads of the store, and thus the maximum delay of a change.
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
        // The gateway's own commits also produce elements of `ticks`, so limit the number of reads.
        if let next = looked?.advanced(by: Self.pause), clock.now < next {
          try? await clock.sleep(until: next, tolerance: nil)
        }
        // If the store cannot be read now, retry, because the next commit may be much later.
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
