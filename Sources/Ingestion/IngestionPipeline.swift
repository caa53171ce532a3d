import Bluetooth
public import BluetoothCentral
public import HealthKit

/// From what peripherals notify to what the store keeps.
///
/// An ordinary client of the store: there is one door in, and whatever holds for other programs holds here.
public struct IngestionPipeline {
  private var sessions = StrapSessions()
  private var writer: SampleWriter
  private var tally = IngestionTally()

  /// - Parameter store: Where the samples go; `nil` goes through every step and stores nothing.
  public init(store: HKHealthStore?) { writer = SampleWriter(store: store) }

  /// Reads a central to its end and commits what it measured.
  ///
  /// - Parameter progress: Called after each batch with the counts so far.
  /// - Returns: The counts, and the error that ended the run before the central did. What the counts call stored is
  ///   stored, whatever the error.
  public mutating func run(
    _ central: some Central, progress: (IngestionTally) -> Void = { _ in }
  ) async -> (tally: IngestionTally, failure: (any Error)?) {
    var failure: (any Error)?
    do {
      for try await events in central.events() {
        receive(events)
        try draftsToWriter()
        if writer.isBatchDue { try await writer.flush(&tally) }
        progress(tally)
      }
    } catch {
      failure = error
    }
    do {
      // Open segments end with the source, and what waits for a description waits no longer.
      sessions.updateAll { $0.disconnect() }
      try draftsToWriter()
      try await writer.flush(&tally)
    } catch {
      failure = failure ?? error
    }
    summarise()
    return (tally, failure)
  }

  /// By index of a span: an iterator would copy each event.
  private mutating func receive(_ events: [CentralEvent]) {
    let span = events.span
    for index in span.indices { receive(span[index]) }
  }

  private mutating func receive(_ event: CentralEvent) {
    switch event {
    case .notified(let notification):
      guard notification.characteristic == .heartRateMeasurement else { return }
      receive(notification)
    case .named(let peripheral, let name):
      sessions.update(peripheral) { $0.setName(name) }
    case .valueRead(let peripheral, let characteristic, let value):
      sessions.update(peripheral) { $0.take(characteristic, value) }
    case .described(let peripheral):
      sessions.update(peripheral) { $0.release() }
    case .disconnected(let peripheral, _):
      sessions.update(peripheral) { $0.disconnect() }
    case .interrupted:
      sessions.updateAll { $0.interrupt() }
    case .gapBegan:
      break
    case .connected(let peripheral, _):
      sessions.update(peripheral) { $0.connect() }
    }
  }

  private mutating func receive(_ notification: ValueNotification) {
    tally.measurements += 1
    let rejection = sessions.update(notification.peripheral) {
      $0.receive(notification.value, at: notification.receiptTime)
    }
    if let rejection { tally.rejected[rejection, default: 0] += 1 }
  }

  private mutating func draftsToWriter() throws {
    try sessions.drain { drafts, description in try writer.add(drafts, of: description, &tally) }
  }

  private mutating func summarise() {
    tally.anomalies.merge(sessions.pastAnomalies, uniquingKeysWith: +)
    for session in sessions.all { tally.anomalies.merge(session.anomalies, uniquingKeysWith: +) }
    // A monitor that came back after it was let go is one monitor.
    var places: [PeripheralIdentity: Int] = [:]
    for monitor in sessions.past + sessions.all.compactMap(\.tally) {
      if let place = places[monitor.peripheral] {
        tally.monitors[place].measurements += monitor.measurements
      } else {
        places[monitor.peripheral] = tally.monitors.count
        tally.monitors.append(monitor)
      }
    }
  }
}
