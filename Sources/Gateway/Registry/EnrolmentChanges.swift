import HealthKit
import HealthStorage
import HealthSystem

/// An element whenever monitors were enrolled, enrolled anew or forgotten. For one consumer; it ends with the
/// task.
struct EnrolmentChanges<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
  typealias Element = Void
  typealias Failure = Never

  private let database: SampleDatabase
  private let clock: C
  private let ticks: AsyncStream<Void>
  private let known: [AddressRecord: Int]

  init(_ store: SystemStore, clock: C) async throws {
    database = store.database
    self.clock = clock
    // The ticks first: what is enrolled between the two calls is then in both, and neither misses it.
    ticks = database.commits()
    known = try await HKError.translating { [database] in try await database.monitorRevisions() }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(database: database, clock: clock, ticks: ticks.makeAsyncIterator(), known: known)
  }

  struct Iterator: AsyncIteratorProtocol {
    private let database: SampleDatabase
    private let clock: C
    private var ticks: AsyncStream<Void>.Iterator
    private var known: [AddressRecord: Int]
    private var looked: C.Instant?

    fileprivate init(
      database: SampleDatabase, clock: C, ticks: AsyncStream<Void>.Iterator, known: [AddressRecord: Int]
    ) {
      self.database = database
      self.clock = clock
      self.ticks = ticks
      self.known = known
    }

    mutating func next() async -> Void? {
      while await ticks.next() != nil {
        // The gateway's own commits tick as well, several times each: a person who enrols can wait a few
        // seconds.
        if let next = looked?.advanced(by: .seconds(5)), clock.now < next {
          try? await clock.sleep(until: next, tolerance: nil)
        }
        looked = clock.now
        // If the store cannot be read just now, the next commit is a new chance.
        guard let now = try? await database.monitorRevisions(), now != known else { continue }
        known = now
        return ()
      }
      return nil
    }
  }
}
