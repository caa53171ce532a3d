import Bluetooth
import PacketLog

/// Translates the events of `HCIObserver` and `LinkLayerObserver` into central events, and counts those
/// without an equivalent.
struct HostEventTranslation {
  private(set) var events: [CentralEvent] = []
  var tally = ReplayTally()
  private(set) var handles: MeasurementHandles
  private(set) var names: AdvertisedNames
  private(set) var links: PeerLinks
  /// Whether the next notification may be a retransmission of the previous one.
  private var isInDoubt = false
  /// Whether the current record was already counted as truncated.
  private var isRecordCut = false
  /// Whether the current record was already counted as possibly containing a measurement.
  private var isLossCounted = false
  /// Whether the current record is a data packet.
  private var isData = false
  private var times: RecordTimes
  private var openLinks = 0

  /// Creates a translation for a log.
  /// - Parameters:
  ///   - handles: The knowledge about attribute handles from the previous log, if this log continues its
  ///     connections.
  ///   - names: The names from earlier logs. Observers report each name only once, even across logs.
  ///   - links: The links that were open at the end of the previous log, if this log continues it.
  ///   - times: Checks the times of this log.
  init(handles: MeasurementHandles, names: AdvertisedNames, links: PeerLinks, times: RecordTimes) {
    self.handles = handles
    self.names = names
    self.links = links
    self.times = times
  }

  /// Returns the events since the last call.
  mutating func drainEvents() -> [CentralEvent] {
    defer { events.removeAll(keepingCapacity: true) }
    return events
  }

  /// Starts the next record.
  mutating func begin(_ record: PacketLogRecord) {
    times.read(record, isConnected: openLinks > 0, &tally)
    isLossCounted = false
    isData = record.content.isData
    isRecordCut = false
    if record.isTruncated { countTruncated() }
  }

  mutating func interrupt(at time: ReceiptTime) {
    tally.anomalies["recorderLostPackets", default: 0] += 1
    handles.miss(nil, at: time)
    events.append(.interrupted(time))
  }

  @inline(__always)
  mutating func translate(_ event: HostEvent, at time: ReceiptTime) {
    if case .notified(let link, let handle, let characteristic, let bytes) = event {
      let value = PushedValue(value: bytes, time: time, isInDoubt: isInDoubt)
      isInDoubt = false
      tally.notifications += 1
      guard links.isNew(bytes, of: handle, on: link) else { return repeated(link, handle, characteristic) }
      if let characteristic {
        notify(link, characteristic, value)
      } else {
        resolve(link, handle, value)
      }
      return
    }
    isInDoubt = false
    translateRare(event, at: time)
  }

  private mutating func translateRare(_ event: HostEvent, at time: ReceiptTime) {
    switch event {
    case .named(let address, let name):
      names.remember(name, of: address)
    case .connected(let link):
      openLinks += 1
      guard links.connect(link) else { break }
      handles.connect(link, at: time)
      events.append(.connected(link.peripheral, time))
      if let peer = link.peer, let name = names.name(of: peer) {
        events.append(.named(link.peripheral, name))
      }
    case .disconnected(let link, let reason):
      openLinks = max(0, openLinks - 1)
      guard links.disconnect(link) else { break }
      handles.disconnect(link, GapCause(hciReason: reason), at: time)
      events.append(.gapBegan(link.peripheral, GapCause(hciReason: reason), time))
      events.append(.disconnected(link.peripheral, time))
    case .attributeRead(let link, _, let characteristic?, let value):
      events.append(.valueRead(link.peripheral, characteristic, value))
    case .declared(let link, let handle, let characteristic):
      if characteristic == .heartRateMeasurement { tally.declareHeartRate(link.peripheral) }
      if let release = handles.declare(link, handle, as: characteristic) {
        let isMeasurement = characteristic == .heartRateMeasurement
        tally.countResolved(release.counted, release.held.counted)
        if isMeasurement { notify(link, release.held) }
      }
    case .subscribed(let link, let handle, nil):
      if let release = handles.configure(link, handle, tally) { accept(release, link, handle) }
    case .repeated(let link, let handle, let characteristic):
      tally.notifications += 1
      repeated(link, handle, characteristic)
    case .notifiedInPart(let link, let handle, let characteristic, let value, let length):
      tally.notifications += 1
      guard links.isNew(value, of: handle, on: link) else { return repeated(link, handle, characteristic) }
      if characteristic == nil || characteristic == .heartRateMeasurement { countLoss() }
      notifyInPart(link, handle, characteristic, PushedValue(value: value, time: time, wholeLength: length))
    case .incomplete(let link):
      if isRecordCut { countLoss() }
      handles.miss(link, at: time)
      events.append(.gapBegan(link.peripheral, .overflow, time))
    case .unread(let link, let traffic):
      tally.count(traffic, of: link.peripheral)
    case .anomaly(let anomaly):
      isInDoubt = anomaly == .perhapsRepetition
      if anomaly == .truncatedPacket, !isRecordCut {
        // The log does not mark the record as truncated, but the length in the packet's header reveals it.
        countTruncated()
      }
      tally.count(anomaly)
    case .attributeRead, .subscribed, .notified:
      break
    }
  }

  private mutating func repeated(_ link: Link, _ handle: UInt16, _ characteristic: BluetoothUUID?) {
    let isNamed = characteristic.map { $0 == .heartRateMeasurement }
    if isNamed ?? handles.isAccepted(link, handle) { events.append(.repeated(link.peripheral, count: 1)) }
  }

  private mutating func countTruncated() {
    isRecordCut = true
    tally.truncatedRecords += 1
    if isData { tally.truncatedDataPackets += 1 }
  }

  /// Counts the current record, once, as possibly containing a measurement.
  private mutating func countLoss() {
    guard !isLossCounted else { return }
    isLossCounted = true
    tally.truncatedMeasurements += 1
  }

  private mutating func notifyInPart(
    _ link: Link, _ handle: UInt16, _ characteristic: BluetoothUUID?, _ value: PushedValue
  ) {
    switch characteristic {
    case .heartRateMeasurement?: notify(link, .heartRateMeasurement, value)
    case nil: resolve(link, handle, value)
    // The beginning of another characteristic's value is of no use.
    default: break
    }
  }

  @inline(__always)
  private mutating func notify(_ link: Link, _ characteristic: BluetoothUUID, _ value: PushedValue) {
    let isMeasurement = characteristic == .heartRateMeasurement
    if isMeasurement, value.isRepeatedMeasurement { return tally.countRepetitions(1) }
    if isMeasurement, link.isLocal { tally.served += 1 }
    events.append(
      .notified(
        ValueNotification(
          peripheral: link.peripheral, characteristic: characteristic, value: value.value,
          receiptTime: value.time, marks: value.marks)))
  }

  private mutating func resolve(_ link: Link, _ handle: UInt16, _ value: PushedValue) {
    switch handles.judge(link, handle, value, tally) {
    case .measurement:
      break
    case .proven(let release):
      accept(release, link, handle)
    case .named(let looks):
      tally.state(.namedByCaller, link, handle)
      if looks == .implausible, !value.isRepeatedMeasurement { tally.countAgainst(link, handle) }
    case .unresolved(let looks, let counted):
      return tally.countUnresolved(counted, looks)
    }
    notify(link, .heartRateMeasurement, value)
  }

  /// Reports the held values of a handle that is accepted as Heart Rate Measurement, because a client has
  /// subscribed to it and its values can be heart rates.
  private mutating func accept(_ release: MeasurementHandles.Release, _ link: Link, _ handle: UInt16) {
    tally.state(.clientConfiguration, link, handle)
    tally.countResolved(release.counted, release.held.counted)
    notify(link, release.held)
  }

  /// Reports held values, with the connections and disconnections between them.
  private mutating func notify(_ link: Link, _ held: HeldValues) {
    tally.fromEarlierLogs += held.fromEarlierLogs
    tally.countRepetitions(held.repetitions)
    for entry in held.entries {
      switch entry {
      case .value(let value):
        notify(link, .heartRateMeasurement, value)
      case .ended(let cause, let time):
        events.append(.gapBegan(link.peripheral, cause, time))
        events.append(.disconnected(link.peripheral, time))
      case .began(let time):
        events.append(.connected(link.peripheral, time))
      case .missed(let time):
        events.append(.gapBegan(link.peripheral, .overflow, time))
      }
    }
  }
}

extension PacketLogRecord.Content {
  /// Whether the record is a packet that may contain a measurement.
  fileprivate var isData: Bool {
    switch self {
    case .hci(.aclData, _, _), .linkLayer: true
    case .hci, .lost, .controllerReset, .section, .other: false
    }
  }
}

extension Link {
  fileprivate var peripheral: PeripheralIdentity {
    if let peer { .address(peer) } else { .unidentified(link: id) }
  }
}
