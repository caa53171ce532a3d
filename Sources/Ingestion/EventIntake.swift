package import Bluetooth
package import Foundation
import HealthStorage

/// What a central reports, sorted by strap and counted: the part of ingestion that knows no store and no
/// clock.
package struct EventIntake {
  private var sessions: StrapSessions
  package var tally = IngestionTally()
  /// There is no room for measurements at present: they are counted, their gaps noted, and shed.
  package var isShedding = false
  /// Somebody watches: what straps tell is kept for them until it is taken.
  package var isWatched = false
  private var readings: [StrapReading] = []
  /// `nil` for a recording, whose times are none of this machine's.
  private var clock: ClockHistory?
  /// What a setting of the clock changed; it is stored with what came before it.
  private var clockChanges: ClockChangesRecord?
  /// What earlier runs left is still to be drained.
  private var hasBegun = false

  package init(known: [PeripheralIdentity: KnownStrap] = [:]) { sessions = StrapSessions(known: known) }

  /// A run begins, under a setting of the clock that may differ from that of earlier runs.
  package mutating func begin(_ beginning: ClockBeginning) {
    var history = beginning.history
    clockChanges = history.begin(
      beginning.setting, at: beginning.now, wall: beginning.wall, latest: beginning.latest)
    clock = history
    hasBegun = true
  }

  /// Adds what is known of further straps.
  package mutating func know(_ straps: [PeripheralIdentity: KnownStrap]) { sessions.know(straps) }

  /// By index of a span: an iterator would copy each event.
  ///
  /// - Returns: How many were received. After the clock was set, what came before is to be drained first.
  package mutating func receive(_ events: Span<CentralEvent>) -> Int {
    for index in events.indices {
      receive(events[index])
      if clockChanges != nil { return index + 1 }
    }
    return events.count
  }

  /// What the straps told while somebody watched, in its order.
  package mutating func takeReadings() -> [StrapReading] {
    defer { readings.removeAll() }
    return readings
  }

  /// The source has ended: open segments end with it, and what waits for a description waits no longer.
  ///
  /// - Parameter stop: Why and when it ended, if what the straps send from here on is missed.
  package mutating func end(_ stop: (cause: GapCause, time: ReceiptTime)? = nil) {
    if let stop {
      // The clock may have been set back since the last measurement, and nobody have seen it.
      let latest = sessions.all.compactMap(\.gaps.lastFrame).max() ?? stop.time
      clockChanges = clock?.end(at: max(stop.time, latest))
    }
    sessions.updateAll { session in
      if let stop, session.isFollowed { session.beginGap(stop.cause, at: stop.time) }
      session.disconnect()
    }
  }

  /// The source has ended, and another goes on with it: what waits for a description waits no longer, and all
  /// else stays as it is.
  mutating func pause() { sessions.updateAll { $0.endWaiting() } }

  /// What the straps said of themselves.
  var descriptions: [MonitorDescription] { sessions.descriptions }

  /// Moves each strap's ready drafts and gaps to the writer.
  ///
  /// Drafts that cannot be made samples are counted as rejected; those of other straps still go. Where the
  /// clock was set, the writer's batch ends here.
  /// - Returns: Why drafts could not be made samples, if that was so.
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
      drainNews(into: &writer)
      writer.endBatch(with: changes)
      sessions.correct(changes.corrected)
      clockChanges = nil
    }
    return failure
  }

  /// Moves to the writer what was learnt of the straps, as far as it can be stored.
  package mutating func drainNews(into writer: inout SampleWriter) {
    for (description, news) in sessions.takeNews() { writer.add(news, of: description) }
  }

  /// Moves to the writer the runs of beats in progress: to be called when all drafts are there.
  package mutating func drainOpenSeries(into writer: inout SampleWriter) {
    for (description, segment) in sessions.takeOpenSegments() { writer.add(open: segment, of: description) }
  }

  /// Begins other series in place of those that the user deleted while they were being measured.
  package mutating func endDeletedSeries(_ deleted: [UUID]) {
    guard !deleted.isEmpty else { return }
    sessions.updateAll { session in
      guard let segment = session.openSegment,
        deleted.contains(SampleIdentity.uuid(of: segment, from: session.description.address))
      else { return }
      session.discardOpenSegment()
    }
  }

  /// Something was learnt of a strap beside its measurements.
  package var hasNews: Bool { sessions.all.contains(where: \.hasNews) }

  /// The counts, which begin anew.
  mutating func takeSummary() -> IngestionTally {
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
    // A monitor that came back after its session was dropped is one monitor.
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
    // Observers get it all the same.
    guard isWatched, let measurement = try? HeartRateMeasurement(decoding: notification.value),
      measurement.heartRate == 0 || Plausibility.hasHeartRate(measurement)
    else { return }
    readings.append(
      StrapReading(
        peripheral: notification.peripheral,
        value: .measurement(measurement, at: notification.receiptTime, settings: settings)))
  }

  // MARK: - For observers

  private mutating func keep(_ level: BatteryLevel?, of peripheral: PeripheralIdentity) {
    guard isWatched, let level else { return }
    readings.append(StrapReading(peripheral: peripheral, value: .battery(level)))
  }
}
