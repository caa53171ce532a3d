import Bluetooth
import BluetoothCentral

/// What a central reports, sorted by strap and counted: the part of ingestion that knows no store and no clock.
struct EventIntake {
  private var sessions: StrapSessions
  var tally = IngestionTally()
  /// Measurements cannot be kept at present: they are counted, their gaps noted, and let go.
  var letsGo = false

  init(known: [PeripheralIdentity: KnownStrap] = [:]) { sessions = StrapSessions(known: known) }

  /// Straps of which something is known beside those that were from the start.
  mutating func know(_ straps: [PeripheralIdentity: KnownStrap]) { sessions.know(straps) }

  /// By index of a span: an iterator would copy each event.
  mutating func receive(_ events: Span<CentralEvent>) {
    for index in events.indices { receive(events[index]) }
  }

  /// The source has ended: open segments end with it, and what waits for a description waits no longer.
  ///
  /// - Parameter stop: When and why it ended, where what the straps send from here on is missed.
  mutating func end(_ stop: (cause: GapCause, time: ReceiptTime)? = nil) {
    sessions.updateAll { session in
      if let stop, session.isFollowed { session.beginGap(stop.cause, at: stop.time) }
      session.disconnect()
    }
  }

  /// Hands each strap's ready drafts and gaps to `body`, with the counts, and forgets them.
  mutating func drain(
    _ body: ([SampleDraft], [GapDraft], MonitorDescription, inout IngestionTally) throws -> Void
  ) rethrows {
    try sessions.drain { drafts, gaps, description in try body(drafts, gaps, description, &tally) }
  }

  /// What was learnt of the straps since the last time, as far as it can be stored.
  mutating func takeNews() -> [(MonitorDescription, StrapNews)] {
    sessions.takeNews()
  }

  /// Something was learnt of a strap beside its measurements.
  var hasNews: Bool { sessions.all.contains(where: \.hasNews) }

  /// The counts, those of the monitors with them.
  var summary: IngestionTally {
    var tally = tally
    tally.anomalies.merge(sessions.pastAnomalies, uniquingKeysWith: +)
    for session in sessions.all { tally.anomalies.merge(session.anomalies, uniquingKeysWith: +) }
    // A monitor that came back after it was let go is one monitor.
    var places: [PeripheralIdentity: Int] = [:]
    for monitor in sessions.past + sessions.all.compactMap(\.tally) {
      if let place = places[monitor.peripheral] {
        tally.monitors[place].measurements += monitor.measurements
        tally.monitors[place].lastReceipt = monitor.lastReceipt
        tally.monitors[place].openGap = monitor.openGap
      } else {
        places[monitor.peripheral] = tally.monitors.count
        tally.monitors.append(monitor)
      }
    }
    return tally
  }
}

extension EventIntake {
  private mutating func receive(_ event: CentralEvent) {
    switch event {
    case .notified(let notification):
      if notification.characteristic == .heartRateMeasurement {
        receive(notification)
      } else if notification.characteristic == .batteryLevel {
        sessions.update(notification.peripheral) {
          $0.takeBattery(notification.value, at: notification.receiptTime)
        }
      }
    case .named(let peripheral, let name):
      sessions.update(peripheral) { $0.setName(name) }
    case .valueRead(let peripheral, let characteristic, let value):
      sessions.update(peripheral) { $0.take(characteristic, value) }
    case .described(let peripheral):
      sessions.update(peripheral) { $0.release() }
    case .disconnected(let peripheral, let time):
      sessions.update(peripheral) {
        $0.beginGap(.unknown, at: time)
        $0.disconnect()
      }
    case .interrupted(let time):
      sessions.updateAll { session in
        if session.isFollowed { session.beginGap(.overflow, at: time) }
        session.interrupt()
      }
    case .repeated(_, let count):
      tally.measurements += count
      tally.duplicates += count
    case .gapBegan(let peripheral, let cause, let time):
      sessions.update(peripheral) { $0.beginGap(cause, at: time) }
    case .connected(let peripheral, let time):
      sessions.update(peripheral) { $0.connect(at: time) }
    }
  }

  private mutating func receive(_ notification: ValueNotification) {
    tally.measurements += 1
    guard !letsGo else { return letGo(notification) }
    let rejection = sessions.update(notification.peripheral) {
      $0.receive(notification.value, at: notification.receiptTime)
    }
    if let rejection { tally.rejected[rejection, default: 0] += 1 }
  }

  private mutating func letGo(_ notification: ValueNotification) {
    let rejection = sessions.update(notification.peripheral) { $0.letGo(at: notification.receiptTime) }
    tally.rejected[rejection, default: 0] += 1
  }
}
