import HealthKit

/// An element whenever monitors were enrolled, enrolled anew or forgotten. For one consumer; it ends with the task.
public struct EnrolmentChanges: AsyncSequence, Sendable {
  public typealias Element = Void
  public typealias Failure = Never

  private let store: HKHealthStore
  private let ticks: AsyncStream<Void>
  private let known: [MonitorAddress: Int]

  init(_ store: HKHealthStore) async throws {
    self.store = store
    // What is enrolled between the two is in both, and so is missed by neither.
    ticks = try store.commits()
    known = try await store.monitorRevisions()
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, ticks: ticks.makeAsyncIterator(), known: known)
  }

  public struct Iterator: AsyncIteratorProtocol {
    private static let pause = Duration.seconds(5)

    fileprivate let store: HKHealthStore
    fileprivate var ticks: AsyncStream<Void>.Iterator
    fileprivate var known: [MonitorAddress: Int]
    private var looked: ContinuousClock.Instant?

    fileprivate init(store: HKHealthStore, ticks: AsyncStream<Void>.Iterator, known: [MonitorAddress: Int]) {
      self.store = store
      self.ticks = ticks
      self.known = known
    }

    public mutating func next() async -> Void? {
      while await ticks.next() != nil {
        // Its own commits tick as well, and each several times: once in a while is enough for a person who enrols.
        if let looked, .now - looked < Self.pause {
          try? await Task.sleep(until: looked + Self.pause, clock: .continuous)
        }
        looked = .now
        // A store that cannot be read just now is looked at again at the next commit.
        guard let now = try? await store.monitorRevisions(), now != known else { continue }
        known = now
        return ()
      }
      return nil
    }
  }
}
