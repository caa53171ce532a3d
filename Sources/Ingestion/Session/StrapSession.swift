import Bluetooth

/// The state of one strap while its events are processed: its description, and the conversion of its frames
/// to drafts of samples.
///
/// It does not do I/O or read a clock. The first measurements may arrive before the sensor location and the
/// manufacturer, which are part of a sample, have been read. So drafts wait here until the description is
/// complete, for at most ``timeout``. The timeout is based on receipt times, so that a recording gives the
/// same result as a live run.
struct StrapSession {
  /// Maximum time for which sample drafts wait for the description, in microseconds of receipt time.
  static let timeout: Int64 = 60_000_000
  /// Maximum number of sample drafts that wait for the description.
  static let maximumWaiting = 512

  private(set) var description: MonitorDescription
  private(set) var measurements = 0
  /// The number of deviations from the specification that could be decoded nevertheless, by name.
  private(set) var anomalies: [String: Int] = [:]
  private(set) var isConnected = false
  /// The gaps between the strap's measurement frames.
  private(set) var gaps: GapTracker
  private var updates = StrapUpdates()
  /// The last measurement frame and the description's revision that ``drainUpdates()`` has reported.
  private var reported: (lastFrame: ReceiptTime?, revision: Int)
  let settings: MonitorSettings
  private var clock: BeatClock
  private var ratio: IntervalRatio
  private var contact = ContactCheck()
  private var energy = EnergyTotal()
  private var isDescribed = false
  private var waitingSince: ReceiptTime?
  private var waiting: [SampleDraft] = []
  /// The sample drafts that no longer wait for the description.
  private(set) var ready: [SampleDraft] = []

  /// Whether an earlier run has stored a description, so that sample drafts do not have to wait.
  private let isKnown: Bool

  init(
    _ peripheral: PeripheralIdentity, gaps: GapTracker = GapTracker(),
    settings: MonitorSettings = MonitorSettings()
  ) {
    self.settings = settings
    clock = BeatClock(intervalUnit: settings.intervalUnit)
    ratio = IntervalRatio(intervalUnit: settings.intervalUnit)
    description = MonitorDescription(peripheral)
    self.gaps = gaps
    reported = (gaps.lastFrame, description.revision)
    isKnown = false
  }

  /// Creates a session with the description stored by an earlier run. It is used until the strap reports
  /// another one.
  init(_ description: MonitorDescription, gaps: GapTracker, settings: MonitorSettings = MonitorSettings()) {
    self.settings = settings
    clock = BeatClock(intervalUnit: settings.intervalUnit)
    ratio = IntervalRatio(intervalUnit: settings.intervalUnit)
    self.description = description
    self.gaps = gaps
    reported = (gaps.lastFrame, description.revision)
    isKnown = true
    isDescribed = true
  }

  /// The beats of the current heartbeat series; `nil` while sample drafts wait for the description.
  var openSegment: BeatSegment? { waiting.isEmpty ? clock.open : nil }

  /// The first receipt, length and last receipt of the series that ``drainOpenSegment()`` last returned.
  private var reportedOpen: (firstReceipt: ReceiptTime, count: Int, knownUntil: ReceiptTime)?

  /// Returns the current heartbeat series, if it has changed since the last call.
  mutating func drainOpenSegment() -> BeatSegment? {
    guard let segment = openSegment else { return nil }
    let state = (segment.firstReceipt, segment.intervals.count, segment.knownUntil)
    if let reportedOpen, reportedOpen == state { return nil }
    reportedOpen = state
    return segment
  }

  /// Ends the current heartbeat series without storing it, because the user has deleted it.
  mutating func discardOpenSegment() { clock.discardOpen() }

  /// Removes the sample drafts that have been moved to the writer.
  mutating func removeReady() { ready.removeAll(keepingCapacity: true) }

  /// The number of RR intervals that exceed the elapsed time, because the strap repeats them.
  private(set) var surplusIntervals = 0
  /// The sum of the RR intervals of the last ten minutes divided by the elapsed time; `nil` if the two agree.
  var intervalRatio: Double? { ratio.deviation }
  /// The number of plausible measurements in connections during which the strap never reported contact.
  var withoutContact: Int { contact.suspects }

  /// Resets the counts after they were reported.
  mutating func forgetCounts() {
    ratio = IntervalRatio(intervalUnit: settings.intervalUnit)
    contact = ContactCheck()
    measurements = 0
    surplusIntervals = 0
    anomalies = [:]
  }

  /// Whether there are gaps to store. Gaps wait together with the sample drafts before them.
  var hasReadyGaps: Bool { !gaps.changes.isEmpty && waiting.isEmpty }

  mutating func drainReadyGaps() -> [GapDraft] { hasReadyGaps ? gaps.drainChanges() : [] }

  /// Whether the strap is connected or has sent a measurement frame. A recording may begin during a
  /// connection.
  var isFollowed: Bool { isConnected || gaps.lastFrame != nil }

  /// Whether the status or the description has changed since ``drainUpdates()``.
  var hasUpdates: Bool { !updates.isEmpty || reported.revision != description.revision }

  /// Returns the changes of status and description since the last call; `nil` if there are none, or while
  /// sample drafts wait for the description.
  mutating func drainUpdates() -> StrapUpdates? {
    guard waiting.isEmpty else { return nil }
    if let lastFrame = gaps.lastFrame, lastFrame != reported.lastFrame { updates.measured(at: lastFrame) }
    updates.isDescribed = reported.revision != description.revision
    reported = (gaps.lastFrame, description.revision)
    defer { updates = StrapUpdates() }
    return updates.isEmpty ? nil : updates
  }

  /// Whether the connection has ended and everything was moved to the writer.
  var hasEnded: Bool { !isConnected && waiting.isEmpty && ready.isEmpty && gaps.changes.isEmpty }

  // MARK: - Description

  mutating func setName(_ name: String) {
    description.setName(name)
    if description.isComplete { release() }
  }

  /// Updates the description with the value of a characteristic. Ignores characteristics that do not describe
  /// the strap.
  ///
  /// - Returns: The battery level, if the characteristic is Battery Level.
  @discardableResult
  mutating func learn(_ characteristic: BluetoothUUID, _ value: AttributeValue) -> BatteryLevel? {
    let battery = characteristic == .batteryLevel ? learnBattery(value) : nil
    if let reason = description.learn(characteristic, value) {
      anomalies["\(characteristic).\(reason.rawValue)", default: 0] += 1
    }
    if description.isComplete { release() }
    return battery
  }

  /// Records that the description is complete, so that sample drafts need not wait.
  mutating func release() {
    isDescribed = true
    endWaiting()
  }

  /// Makes the waiting sample drafts ready. Later drafts may wait again.
  mutating func endWaiting() {
    waitingSince = nil
    ready.append(contentsOf: waiting)
    waiting.removeAll()
  }

  /// Records a Battery Level that was read or notified.
  ///
  /// - Returns: `nil` if it cannot be decoded.
  @discardableResult
  mutating func learnBattery(_ value: AttributeValue, at time: ReceiptTime? = nil) -> BatteryLevel? {
    do throws(GATTDecodingError) {
      let level = try BatteryLevel(decoding: value)
      updates.battery = level.percentage
      if let time { updates.saw(at: time) }
      return level
    } catch {
      anomalies["\(BluetoothUUID.batteryLevel).\(error.reason.rawValue)", default: 0] += 1
      return nil
    }
  }

  // MARK: - Measurements

  /// Processes a frame of Heart Rate Measurement.
  ///
  /// - Parameter onDecoded: Called with the measurement, unless its heart rate is implausible.
  /// - Returns: The reason for a rejection; `nil` if a heart-rate sample draft was created.
  mutating func receive(
    _ frame: AttributeValue, at time: ReceiptTime, marks: FrameMarks = [],
    onDecoded: (HeartRateMeasurement, MonitorSettings) -> Void = { _, _ in }
  ) -> Rejection? {
    measurements += 1
    guard time.isInSampleRange else { return .receiptTimeOutOfRange }
    gaps.receive(at: time)
    let isTruncated = marks.contains(.truncated)
    // Intervals that were cut off are missing, so the beats before and after them must not be joined.
    if isTruncated { endSegment(at: time) }
    var measurement: HeartRateMeasurement
    do throws(GATTDecodingError) {
      measurement = try frame.withBytes { bytes throws(GATTDecodingError) in
        try HeartRateMeasurement(decoding: bytes) { anomaly in
          if !isTruncated { anomalies[anomaly.rawValue, default: 0] += 1 }
        }
      }
    } catch {
      return isTruncated ? .truncated : Rejection(error.reason)
    }
    if isTruncated { measurement.rrTicks = [] }
    let rejection = measurement.rejection(settings)
    if rejection != .implausibleHeartRate { onDecoded(measurement, settings) }
    // Use the energy total even if the heart rate is rejected.
    if let total = measurement.energyExpended, let difference = energy.receive(total, at: time) {
      draft(.quantity(difference, frame: frame), at: time)
    }
    contact.receive(measurement)
    if let rejection {
      endSegment(at: time)
      return rejection
    }
    Plausibility.check(measurement) { anomalies[$0, default: 0] += 1 }
    for name in marks.names { anomalies[name, default: 0] += 1 }
    draft(
      .heartRate(measurement.heartRate, at: time, frame: frame, marks: marks.subtracting(.truncated)),
      at: time)
    // The measurement frame may be a copy. So its intervals are not joined to others, but stored as a
    // separate, marked series.
    let isDoubtful = marks.contains(.mayBeCopy) && !measurement.rrTicks.isEmpty
    if isDoubtful { endSegment(at: time) }
    // The receipt times of delayed measurement frames are estimates, so they cannot be compared with the
    // intervals.
    let isDelayed = marks.contains(.delayed)
    if isDelayed { ratio.interrupt() }
    measurement.rrTicks.withSpan {
      clock.receive($0, at: time, isDelayed: isDelayed)
      if !isDelayed { ratio.receive($0, at: time) }
    }
    draftFinishedSegments(at: time)
    if isDoubtful { endSegment(at: time, marks: .mayBeCopy) }
    return nil
  }

  /// Counts a measurement that is dropped because too many are uncommitted. It is not decoded.
  mutating func shed(at time: ReceiptTime) -> Rejection {
    measurements += 1
    guard time.isInSampleRange else { return .receiptTimeOutOfRange }
    gaps.lose(.storeUnavailable, at: time)
    // The intervals of the dropped measurement are missing, so the beats before and after it must not be
    // joined.
    endSegment(at: time)
    return .storeFailed
  }

  /// Records that measurement frames may be missing after `time`.
  mutating func loseFrames(at time: ReceiptTime) {
    if isFollowed { beginGap(.overflow, at: time) } else { interrupt() }
  }

  /// Whether sample drafts wait for the strap's description.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Records that measurements since the last frame, or since `time` if there was no frame, may be missing,
  /// because entries of the inbox (the events from the time when the store was locked) cannot be read.
  mutating func loseSealed(at time: ReceiptTime) {
    guard isFollowed else { return }
    interrupt()
    beginGap(.inboxDamaged, at: gaps.lastFrame ?? time)
  }

  /// Starts a gap that lasts until the next frame. Only the cause ``GapCause/overflow`` ends the current
  /// segment: frames were lost although the following ones arrive in time. For other causes, the beat clock
  /// detects missing beats.
  mutating func beginGap(_ cause: GapCause, at time: ReceiptTime) {
    if cause == .overflow { interrupt() }
    guard time.isInSampleRange else { return }
    gaps.begin(cause, at: time)
    ratio.interrupt()
    // Stop waiting for the description, because no further measurement frame may arrive.
    endWaiting()
  }

  /// Records the start of a connection. If the previous one has not ended, its end was missed.
  mutating func connect(at time: ReceiptTime) {
    if isConnected {
      beginGap(.unknown, at: time)
      disconnect()
    }
    isConnected = true
    if time.isInSampleRange {
      updates.saw(at: time)
      clock.beginLink(at: time)
    }
  }

  /// Ends the current series of beats, because measurement frames may be missing.
  mutating func interrupt() { endSegment(at: nil) }

  /// Ends the current series of beats, because the wall clock was changed. Earlier sample drafts keep their
  /// times.
  mutating func endTimes() {
    clock.forgetTimes()
    ratio.interrupt()
    draftFinishedSegments(at: nil)
    endWaiting()
  }

  /// Corrects remembered times after a change of the wall clock. Sample drafts keep their times.
  mutating func correct(_ corrected: (ReceiptTime) -> ReceiptTime) {
    gaps.correct(corrected)
    energy.correct(corrected)
    reported.lastFrame = gaps.lastFrame
  }

  /// Records the end of the connection. In the next connection, the energy total may start at 0.
  mutating func disconnect() {
    isConnected = false
    interrupt()
    contact.endLink()
    energy.forget()
    release()
    // The next connection may complete the description, so sample drafts wait for it again.
    isDescribed = isKnown || description.isComplete
  }

  private mutating func endSegment(at time: ReceiptTime?, marks: FrameMarks = []) {
    clock.interrupt()
    ratio.interrupt()
    draftFinishedSegments(at: time, marks: marks)
  }

  private mutating func draftFinishedSegments(at time: ReceiptTime?, marks: FrameMarks = []) {
    let surplus = clock.drainSurplus()
    if surplus.dropped + surplus.stored > 0 {
      surplusIntervals += surplus.dropped + surplus.stored
      anomalies[Plausibility.surplus, default: 0] += surplus.dropped + surplus.stored
    }
    guard !clock.finished.isEmpty else { return }
    for segment in clock.drainFinished() { draft(.beats(segment, marks: marks), at: time) }
  }

  private mutating func draft(_ draft: SampleDraft, at time: ReceiptTime?) {
    guard !isDescribed else {
      ready.append(draft)
      return
    }
    waiting.append(draft)
    guard let time else { return }
    let since = waitingSince ?? time
    waitingSince = since
    if time.microseconds(since: since) > Self.timeout || waiting.count > Self.maximumWaiting { release() }
  }
}

extension HeartRateMeasurement {
  /// The reason why the heart rate is not stored; `nil` if it is.
  fileprivate func rejection(_ settings: MonitorSettings) -> Rejection? {
    if sensorContact == .notDetected, !settings.ignoresSensorContact { return .contactNotDetected }
    if heartRate == 0 { return .zeroHeartRate }
    if !Plausibility.hasHeartRate(self) { return .implausibleHeartRate }
    return nil
  }
}

extension ReceiptTime {
  /// 9999-12-31 23:59:59 UTC. ISO 8601 years have four digits.
  private static let lastSecondOf9999: Int64 = 253_402_300_799_000_000

  /// Whether a sample can represent the time.
  fileprivate var isInSampleRange: Bool { (0..<Self.lastSecondOf9999).contains(microsecondsSince1970) }
}

extension StrapSession {
  /// The strap's counts; `nil` if it has sent no measurement.
  var tally: MonitorTally? {
    guard measurements > 0 else { return nil }
    return MonitorTally(
      peripheral: description.peripheral, name: description.sourceName,
      bundleIdentifier: MonitorDescription.sourceIdentifier(of: description.address),
      measurements: measurements,
      lastReceipt: gaps.lastFrame, openGap: gaps.cause, surplusIntervals: surplusIntervals,
      intervalRatio: intervalRatio, withoutContact: withoutContact, settings: settings)
  }
}
