package import Bluetooth
package import Foundation
import HealthStorage

/// Sorts the events of a central by strap and counts them. This part of ingestion uses no store and no clock.
package struct EventIntake {
  private var sessions: StrapSessions
  package var tally = IngestionTally()
  /// Whether measurements are dropped because there is no room. They are counted and their gaps recorded.
  package var isShedding = false
  /// Whether there are watchers, so that readings are kept until they are taken.
  package var isWatched = false
  private var readings: [StrapReading] = []
  /// `nil` for a recording, whose times are not this machine's.
  private var clock: ClockHistory?
  /// The changes after a clock change. They are stored after the measurements before it.
  private var clockChanges: ClockChangesRecord?
  /// Whether the gaps of earlier runs are still to be drained.
  private var hasBegun = false

  package init(known: [PeripheralIdentity: KnownStrap] = [:]) { sessions = StrapSessions(known: known) }

  /// Starts a run. The clock may have been set since earlier runs.
  package mutating func begin(_ beginning: ClockBeginning) {
    var history = beginning.history
    clockChanges = history.begin(
      beginning.setting, at: beginning.now, wall: beginning.wall, latest: beginning.latest)
    clock = history
    hasBegun = true
  }

  /// Adds the descriptions and gaps of further straps.
  package mutating func know(_ straps: [PeripheralIdentity: KnownStrap]) { sessions.know(straps) }

  /// Processes events. Accesses a span by index, because an iterator would copy each event.
  ///
  /// - Returns: The number of processed events. It stops after a clock change, so that the caller drains
  ///   the measurements before it first.
  package mutating func receive(_ events: Span<CentralEvent>) -> Int {
    for index in events.indices {
      receive(events[index])
      if clockChanges != nil { return index + 1 }
    }
    return events.count
  }

  /// Returns the readings since the last call, in order.
  package mutating func takeReadings() -> [StrapReading] {
    defer { readings.removeAll() }
    return readings
  }

  /// Ends the source: open segments end, and drafts stop waiting for a description.
  ///
  /// - Parameter stop: The cause and time of the end, if later notifications are missed.
  package mutating func end(_ stop: (cause: GapCause, time: ReceiptTime)? = nil) {
    if let stop {
      // The wall clock may have been set back unnoticed since the last measurement.
      let latest = sessions.all.compactMap(\.gaps.lastFrame).max() ?? stop.time
      clockChanges = clock?.end(at: max(stop.time, latest))
    }
    sessions.updateAll { session in
      if let stop, session.isFollowed { session.beginGap(stop.cause, at: stop.time) }
      session.disconnect()
    }
  }

  /// Pauses at the end of a source that another one continues. Drafts stop waiting for a description;
  /// everything else stays.
  mutating func pause() { sessions.updateAll { $0.endWaiting() } }

  /// The descriptions that the straps reported.
  var descriptions: [MonitorDescription] { sessions.descriptions }

  /// Moves each strap's ready drafts and gaps to the writer.
  ///
  /// Drafts that cannot be converted to samples count as rejected; those of other straps are still moved.
  /// After a clock change, the writer's batch ends here.
  /// - Returns: The first error of converting drafts, if any.
  @discardableResult
  package mutating func drain(into writer: inout SampleWriter) -> (any Error)? {
    var failure: (any Error)?
    if hasBegun {
      hasBegun = false
      for (peripheral, gaps) in sessions.takeKnownGaps() { writer.add(gaps, of: peripheral) }
    }
    sessions.drain { drafts, gaps, description in
      do {
        try writer.add(drafts, gaps, of: description, &tally)
      } catch {
        failure = failure ?? error
      }
    }
    if let changes = clockChanges {
      drainUpdates(into: &writer)
      writer.endBatch(with: changes)
      sessions.correct(changes.corrected)
      clockChanges = nil
    }
    return failure
  }

  /// Moves changes of the straps' status and description to the writer, if they can be stored.
  package mutating func drainUpdates(into writer: inout SampleWriter) {
    for (description, news) in sessions.takeUpdates() { writer.add(news, of: description) }
  }

  /// Moves the current segments to the writer. Call it after all drafts were moved.
  package mutating func drainOpenSeries(into writer: inout SampleWriter) {
    for (description, segment) in sessions.takeOpenSegments() { writer.add(open: segment, of: description) }
  }

  /// Starts new series for those that the user deleted while they were being measured.
  package mutating func endDeletedSeries(_ deleted: [UUID]) {
    guard !deleted.isEmpty else { return }
    sessions.updateAll { session in
      guard let segment = session.openSegment,
        deleted.contains(SampleIdentity.uuid(of: segment, from: session.description.address))
      else { return }
      session.discardOpenSegment()
    }
  }

  /// Whether a strap's status or description has changed.
  package var hasUpdates: Bool { sessions.all.contains(where: \.hasUpdates) }

  /// Returns the counts and resets them.
  mutating func takeSummary() -> IngestionTally {
    defer {
      tally = IngestionTally()
      sessions.forgetCounts()
    }
    return summary
  }

  /// The counts, including those by monitor.
  package var summary: IngestionTally {
    var tally = tally
    tally.anomalies.merge(sessions.pastAnomalies, uniquingKeysWith: +)
    for session in sessions.all { tally.anomalies.merge(session.anomalies, uniquingKeysWith: +) }
    // A monitor whose session was dropped and created again counts as one monitor.
    var places: [PeripheralIdentity: Int] = [:]
    for monitor in sessions.past + sessions.all.compactMap(\.tally) {
      if let place = places[monitor.peripheral] {
        tally.monitors[place].measurements += monitor.measurements
        tally.monitors[place].lastReceipt = monitor.lastReceipt
        tally.monitors[place].openGap = monitor.openGap
        tally.monitors[place].surplusIntervals += monitor.surplusIntervals
        tally.monitors[place].intervalRatio = monitor.intervalRatio ?? tally.monitors[place].intervalRatio
        tally.monitors[place].withoutContact += monitor.withoutContact
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
        let level = sessions.update(notification.peripheral) {
          $0.learnBattery(notification.value, at: notification.receiptTime)
        }
        keep(level, of: notification.peripheral)
      }
    case .named(let peripheral, let name):
      sessions.update(peripheral) { $0.setName(name) }
    case .valueRead(let peripheral, let characteristic, let value):
      keep(sessions.update(peripheral) { $0.learn(characteristic, value) }, of: peripheral)
    case .described(let peripheral):
      sessions.update(peripheral) { $0.release() }
    case .disconnected(let peripheral, let time):
      sessions.update(peripheral) {
        $0.beginGap(.unknown, at: time)
        $0.disconnect()
      }
    case .interrupted(let time):
      sessions.updateAll { $0.loseFrames(at: time) }
    case .repeated(_, let count):
      tally.measurements += count
      tally.duplicates += count
    case .gapBegan(let peripheral, let cause, let time):
      sessions.update(peripheral) { $0.beginGap(cause, at: time) }
    case .connected(let peripheral, let time):
      sessions.update(peripheral) { $0.connect(at: time) }
    case .released: break
    case .clockSet(let setting, let time):
      sessions.updateAll { $0.endTimes() }
      clockChanges = clock?.set(setting, at: time)
    }
  }

  private mutating func receive(_ notification: ValueNotification) {
    tally.measurements += 1
    guard !isShedding else { return shed(notification) }
    let isWatched = isWatched
    var reading: StrapReading.Value?
    let rejection = sessions.update(notification.peripheral) { session in
      session.receive(notification.value, at: notification.receiptTime, marks: notification.marks) {
        if isWatched { reading = .measurement($0, at: notification.receiptTime, settings: $1) }
      }
    }
    if let reading { readings.append(StrapReading(peripheral: notification.peripheral, value: reading)) }
    if let rejection { tally.rejected[rejection, default: 0] += 1 }
  }

  private mutating func shed(_ notification: ValueNotification) {
    let (rejection, settings) = sessions.update(notification.peripheral) {
      ($0.shed(at: notification.receiptTime), $0.settings)
    }
    tally.rejected[rejection, default: 0] += 1
    // Watchers get the measurement although it is not stored.
    guard isWatched, let measurement = try? HeartRateMeasurement(decoding: notification.value),
      measurement.heartRate == 0 || Plausibility.hasHeartRate(measurement)
    else { return }
    readings.append(
      StrapReading(
        peripheral: notification.peripheral,
        value: .measurement(measurement, at: notification.receiptTime, settings: settings)))
  }

  // MARK: - Readings for watchers

  private mutating func keep(_ level: BatteryLevel?, of peripheral: PeripheralIdentity) {
    guard isWatched, let level else { return }
    readings.append(StrapReading(peripheral: peripheral, value: .battery(level)))
  }
}
