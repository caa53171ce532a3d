public import Bluetooth

/// Simulated straps as a ``Central``: what a pipeline gets from it is what it gets from the log of the same
/// straps.
public struct SimulatedCentral: Central {
  private let session: SimulatedSession

  /// - Parameters:
  ///   - seed: What the hearts and the radio do differently from another seed.
  ///   - start: When the simulated time begins; it does not wait.
  public init(straps: [StrapProfile], duration: Duration, seed: UInt64, start: ReceiptTime) {
    session = SimulatedSession(straps: straps, duration: duration, seed: seed, start: start)
  }

  public func events() -> Events { Events(session: session) }

  /// The events of the straps, in batches. For one consumer.
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
        let strap = straps[event.strap]
        let peripheral = PeripheralIdentity.address(strap.address)
        switch event.event {
        case .advertised, .requested, .responded(_, nil):
          break
        case .connected:
          batch.append(.connected(peripheral, event.time))
          batch.append(.named(peripheral, strap.name))
        case .responded(_, let read?):
          batch.append(.valueRead(peripheral, read.characteristic, read.value))
        case .measured(let measurement):
          batch.append(
            .notified(
              ValueNotification(
                peripheral: peripheral, characteristic: .heartRateMeasurement, value: measurement.encoded,
                receiptTime: event.time)))
        case .disconnected(let reason):
          batch.append(.gapBegan(peripheral, GapCause(hciReason: reason), event.time))
          batch.append(.disconnected(peripheral, event.time))
        }
      }
    }
  }
}
