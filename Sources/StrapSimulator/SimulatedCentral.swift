public import Bluetooth

/// A ``Central`` for simulated straps. Its events are the same as those of a replayed ``StrapLog`` of the
/// same straps.
///
/// ```swift
/// let central = SimulatedCentral(
///   straps: [StrapProfile.sample(index: 0)], duration: .seconds(60), seed: 1,
///   start: ReceiptTime(microsecondsSince1970: 1_767_225_600_000_000))
/// for try await batch in central.events() {
///   print(batch.count)
/// }
/// ```
public struct SimulatedCentral: Central {
  private let session: SimulatedSession

  /// Creates a simulation.
  /// - Parameters:
  ///   - straps: The straps to simulate.
  ///   - duration: The simulated time.
  ///   - seed: The seed of all random numbers.
  ///   - start: The simulated start time. Events are delivered immediately, not in real time.
  public init(straps: [StrapProfile], duration: Duration, seed: UInt64, start: ReceiptTime) {
    session = SimulatedSession(straps: straps, duration: duration, seed: seed, start: start)
  }

  /// Returns the events of the simulation.
  public func events() -> Events { Events(session: session) }

  /// The events of the straps in batches, for a single consumer.
  public struct Events: AsyncSequence {
    public typealias Element = [CentralEvent]
    public typealias Failure = any Error

    let session: SimulatedSession

    public func makeAsyncIterator() -> Iterator { Iterator(session) }

    public struct Iterator: AsyncIteratorProtocol {
      private static let batchSize = 256

      private let straps: [StrapProfile]
      private var events: SimulatedSession.Iterator

      init(_ session: SimulatedSession) {
        straps = session.straps
        events = session.makeIterator()
      }

      public mutating func next() async throws -> [CentralEvent]? {
        var batch: [CentralEvent] = []
        while batch.count < Self.batchSize, let event = events.next() { append(event, to: &batch) }
        return batch.isEmpty ? nil : batch
      }

      private func append(_ event: SimulatedSession.Event, to batch: inout [CentralEvent]) {
        batch += event.event.centralEvents(of: straps[event.strap], at: event.time)
      }
    }
  }
}
