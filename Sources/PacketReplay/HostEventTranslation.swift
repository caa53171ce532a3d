import Bluetooth
import BluetoothCentral
import HostStack

/// Turns what the host stack saw into what a central reports, and counts what a central has no word for.
struct HostEventTranslation {
  private(set) var events: [CentralEvent] = []
  var tally = ReplayTally()
  private var handles: MeasurementHandles
  private(set) var names: AdvertisedNames

  /// - Parameter names: What earlier logs taught; the host stack reports a name once, and not again in the
  ///   next log.
  init(measurementHandle: UInt16?, names: AdvertisedNames) {
    handles = MeasurementHandles(named: measurementHandle)
    self.names = names
  }

  /// Hands over the events since the last call.
  mutating func takeEvents() -> [CentralEvent] {
    defer { events.removeAll(keepingCapacity: true) }
    return events
  }

  mutating func interrupt(at time: ReceiptTime) {
    tally.anomalies["recorderLostPackets", default: 0] += 1
    events.append(.interrupted(time))
  }

  @inline(__always)
  mutating func translate(_ event: HostEvent, at time: ReceiptTime) {
    if case .notified(let link, let handle, let characteristic, let value) = event {
      tally.notifications += 1
      if let characteristic {
        notify(link, characteristic, value, time)
      } else {
        resolve(link, handle, value, time)
      }
      return
    }
    translateRare(event, at: time)
  }

  private mutating func translateRare(_ event: HostEvent, at time: ReceiptTime) {
    switch event {
    case .named(let address, let name):
      names.remember(name, of: address)
    case .connected(let link):
      events.append(.connected(link.peripheral, time))
      if let peer = link.peer, let name = names.name(of: peer) {
        events.append(.named(link.peripheral, name))
      }
    case .disconnected(let link, let reason):
      handles.forget(link)
      events.append(.gapBegan(link.peripheral, GapCause(hciReason: reason), time))
      events.append(.disconnected(link.peripheral, time))
    case .attributeRead(let link, _, let characteristic?, let value):
      events.append(.valueRead(link.peripheral, characteristic, value))
    case .subscribed(let link, let handle, nil):
      handles.configured(link, handle)
    case .anomaly(let anomaly):
      tally.anomalies[anomaly.rawValue, default: 0] += 1
    case .attributeRead, .subscribed, .notified:
      break
    }
  }

  @inline(__always)
  private mutating func notify(
    _ link: Link, _ characteristic: BluetoothUUID, _ value: AttributeValue, _ time: ReceiptTime
  ) {
    events.append(
      .notified(
        ValueNotification(
          peripheral: link.peripheral, characteristic: characteristic, value: value, receiptTime: time)))
  }

  private mutating func resolve(
    _ link: Link, _ handle: UInt16, _ value: AttributeValue, _ time: ReceiptTime
  ) {
    switch handles.judge(link, handle, value, time) {
    case .measurement(let held):
      for (earlier, earlierTime) in held { notify(link, .heartRateMeasurement, earlier, earlierTime) }
      tally.countResolved(UnresolvedHandle(peer: link.peer, handle: handle), held.count)
      notify(link, .heartRateMeasurement, value, time)
      tally.inferred = handles.inferred
    case .held, .unresolved:
      tally.countUnresolved(UnresolvedHandle(peer: link.peer, handle: handle))
    }
  }
}

extension Link {
  fileprivate var peripheral: PeripheralIdentity {
    if let peer { .address(peer) } else { .unidentified(link: id) }
  }
}
