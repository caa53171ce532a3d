package import Bluetooth
package import Foundation
import HealthStorage

/// Assigns a central's events to the straps that sent them, and counts them. It uses neither a store nor a
/// clock.
package struct EventIntake {
  private var sessions: StrapSessions
  package var tally = IngestionTally()
  /// Whether to drop measurements, because too many are uncommitted. Dropped measurements are counted, and
  /// gaps are recorded for them.
  package var isShedding = false
  /// Whether to keep decoded measurements and battery levels for ``drainReadings()``, because there are
  /// subscribers.
  package var isWatched = false
  private var readings: [StrapReading] = []
  /// The changes of the wall clock; `nil` for a recording, whose times do not come from this machine's clock.
  private var clock: ClockHistory?
  /// The corrections due to a change of the wall clock. They are stored after the measurements that precede
  /// the change.
  private var clockChanges: ClockChangesRecord?
  /// Whether the gaps caused by earlier runs still have to be passed to the writer.
  private var hasBegun = false

  package init(known: [PeripheralIdentity: KnownStrap] = [:]) { sessions = StrapSessions(known: known) }

  /// Starts a run. The wall clock may have been set since the previous run.
  package mutating func begin(_ beginning: ClockBeginning) {
    var history = beginning.history
    clockChanges = history.begin(
      beginning.setting, at: beginning.now, wall: beginning.wall, latest: beginning.latest)
    clock = history
    hasBegun = true
  }

  /// Adds the descriptions and gaps of more straps.
  package mutating func know(_ straps: [PeripheralIdentity: KnownStrap]) { sessions.know(straps) }

  /// The settings of the clock so far; `nil` for a recording. Setting it changes nothing in the store.
  package var clockHistory: ClockHistory? {
    get { clock }
    set { clock = newValue }
  }

  /// Whether sample drafts of a strap wait for the strap's description.
  package func isWaiting(_ peripheral: PeripheralIdentity) -> Bool {
    sessions.all.contains { $0.description.peripheral == peripheral && $0.isWaiting }
  }

  mutating func resumeSessions() { sessions.resumeKnown() }

  mutating func updateSessions(_ change: (inout StrapSession) -> Void) { sessions.updateAll(change) }

  /// Processes events. Accesses a span by index, because an iterator would copy each event.
  ///
  /// - Returns: The number of processed events. Processing stops after a change of the wall clock, so that
  ///   the caller can drain the measurements that precede it.
  package mutating func receive(_ events: Span<CentralEvent>) -> Int {
    for index in events.indices {
      receive(events[index])
      if clockChanges != nil { return index + 1 }
    }
    return events.count
  }

  /// Returns the decoded measurements and battery levels since the last call, in order.
  package mutating func drainReadings() -> [StrapReading] {
    defer { readings.removeAll() }
    return readings
  }

  /// Handles the end of the source: ends the current heartbeat series, and releases measurements that wait
  /// for the strap's description.
  ///
  /// - Parameter stop: The cause and time of the gap that begins now; `nil` if no gap begins, as at the end
  ///   of a recording.
  package mutating func end(_ stop: (cause: GapCause, time: ReceiptTime)? = nil) {
    if let stop {
      // The wall clock may have been set back since the last measurement, so use the later of the two times.
      let latest = sessions.all.compactMap(\.gaps.lastFrame).max() ?? stop.time
      clockChanges = clock?.end(at: max(stop.time, latest))
    }
    sessions.updateAll { session in
      if let stop, session.isFollowed { session.beginGap(stop.cause, at: stop.time) }
      session.disconnect()
    }
  }

  /// Handles the end of a source that another one continues. Only releases the measurements that wait for the
  /// strap's description.
  mutating func pause() { sessions.updateAll { $0.endWaiting() } }

  /// The descriptions of the straps that have reported one.
  var descriptions: [MonitorDescription] { sessions.descriptions }

  /// Moves the measurements and gaps of all straps to the writer, except those still waiting for the strap's
  /// description.
  ///
  /// Measurements that cannot be converted to samples count as rejected; those of other straps are still
  /// moved. After a change of the wall clock, the current batch ends here.
  /// - Returns: The first error of the conversion, if any.
  @discardableResult
  package mutating func drain(into writer: inout SampleWriter) -> (any Error)? {
    var failure: (any Error)?
    if hasBegun {
      hasBegun = false
      for (peripheral, gaps) in sessions.drainKnownGaps() { writer.add(gaps, of: peripheral) }
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

  /// Moves changes of the straps' status and description to the writer.
  package mutating func drainUpdates(into writer: inout SampleWriter) {
    for (description, updates) in sessions.drainUpdates() { writer.add(updates, of: description) }
  }

  /// Moves the unfinished heartbeat series to the writer. Call it after ``drain(into:)``.
  package mutating func drainOpenSeries(into writer: inout SampleWriter) {
    for (description, segment) in sessions.drainOpenSegments() { writer.add(open: segment, of: description) }
  }

  /// Starts new heartbeat series in place of unfinished ones that the user has deleted.
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
  package mutating func drainSummary() -> IngestionTally {
    defer {
      tally = IngestionTally()
      sessions.forgetCounts()
    }
    return summary
  }

  /// The counts, including those of each monitor.
  package var summary: IngestionTally {
    var tally = tally
    tally.anomalies.merge(sessions.pastAnomalies, uniquingKeysWith: +)
    for session in sessions.all { tally.anomalies.merge(session.anomalies, uniquingKeysWith: +) }
    // A monitor with several sessions counts as one monitor.
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
    // Subscribers get the measurement even though it is not stored.
    guard isWatched, let measurement = try? HeartRateMeasurement(decoding: notification.value),
      measurement.heartRate == 0 || Plausibility.hasHeartRate(measurement)
    else { return }
    readings.append(
      StrapReading(
        peripheral: notification.peripheral,
        value: .measurement(measurement, at: notification.receiptTime, settings: settings)))
  }

  // MARK: - Measurements for subscribers

  private mutating func keep(_ level: BatteryLevel?, of peripheral: PeripheralIdentity) {
    guard isWatched, let level else { return }
    readings.append(StrapReading(peripheral: peripheral, value: .battery(level)))
  }
}
