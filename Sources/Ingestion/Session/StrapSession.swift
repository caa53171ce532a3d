import Bluetooth

/// The session of one strap: its description, and the conversion of its frames to drafts.
///
/// It is a pure reducer, without I/O or clock. A central may deliver the first measurements before it has
/// read the sensor location and the manufacturer. Drafts therefore wait here until the description is
/// complete, at most for ``timeout`` by the receipt times, so that a replay and a live run give the same
/// result.
struct StrapSession {
  /// Maximum time that drafts wait for the description, in microseconds of receipt time.
  static let timeout: Int64 = 60_000_000
  /// Maximum number of drafts that wait, whatever their times.
  static let maximumWaiting = 512

  private(set) var description: MonitorDescription
  private(set) var measurements = 0
  /// Deviations of frames and descriptions that could still be decoded, by name.
  private(set) var anomalies: [String: Int] = [:]
  private(set) var isConnected = false
  /// The gaps between its frames.
  private(set) var gaps: GapTracker
  private var news = StrapUpdates()
  /// The last frame and description that ``takeUpdates()`` has returned.
  private var told: (lastFrame: ReceiptTime?, revision: Int)
  let settings: MonitorSettings
  private var clock: BeatClock
  private var ratio: IntervalRatio
  private var contact = ContactCheck()
  private var energy = EnergyTotal()
  private var isDescribed = false
  private var waitingSince: ReceiptTime?
  private var waiting: [SampleDraft] = []
  /// The drafts that no longer wait for the description.
  private(set) var ready: [SampleDraft] = []

  /// Whether an earlier run described the strap, so that its drafts do not wait.
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
    told = (gaps.lastFrame, description.revision)
    isKnown = false
  }

  /// Creates a session with the description of an earlier run, which is valid until the strap reports a new
  /// one.
  init(_ description: MonitorDescription, gaps: GapTracker, settings: MonitorSettings = MonitorSettings()) {
    self.settings = settings
    clock = BeatClock(intervalUnit: settings.intervalUnit)
    ratio = IntervalRatio(intervalUnit: settings.intervalUnit)
    self.description = description
    self.gaps = gaps
    told = (gaps.lastFrame, description.revision)
    isKnown = true
    isDescribed = true
  }

  /// The current segment, unless drafts still wait for the description.
  var openSegment: BeatSegment? { waiting.isEmpty ? clock.open : nil }

  /// The state of the current segment that ``takeOpenSegment()`` has returned.
  private var toldOpen: (firstReceipt: ReceiptTime, count: Int, knownUntil: ReceiptTime)?

  /// Returns the current segment, if it has changed since the last call.
  mutating func takeOpenSegment() -> BeatSegment? {
    guard let segment = openSegment else { return nil }
    let told = (segment.firstReceipt, segment.intervals.count, segment.knownUntil)
    if let toldOpen, toldOpen == told { return nil }
    toldOpen = told
    return segment
  }

  /// Ends the current segment without storing it, because the user deleted its series.
  mutating func discardOpenSegment() { clock.discardOpen() }

  /// Removes the ready drafts after they were processed.
  mutating func removeReady() { ready.removeAll(keepingCapacity: true) }

  /// The number of intervals that exceed the elapsed time.
  private(set) var surplusIntervals = 0
  /// The sum of the intervals of the last ten minutes divided by the elapsed time, if the two differ.
  var intervalRatio: Double? { ratio.deviation }
  /// The number of plausible measurements of links during which the strap never had contact.
  var withoutContact: Int { contact.suspects }

  /// Resets the counts after they were reported.
  mutating func forgetCounts() {
    ratio = IntervalRatio(intervalUnit: settings.intervalUnit)
    contact = ContactCheck()
    measurements = 0
    surplusIntervals = 0
    anomalies = [:]
  }

  /// Whether there are gaps to store. Gaps are not stored before the drafts around them.
  var hasReadyGaps: Bool { !gaps.changes.isEmpty && waiting.isEmpty }

  mutating func takeReadyGaps() -> [GapDraft] { hasReadyGaps ? gaps.takeChanges() : [] }

  /// Whether its frames arrive, or did in this run. A recording may begin during a connection.
  var isFollowed: Bool { isConnected || gaps.lastFrame != nil }

  /// Whether the status or description has changed.
  var hasUpdates: Bool { !news.isEmpty || told.revision != description.revision }

  /// Returns the changes of status and description since the last call; `nil` if there are none or drafts
  /// still wait.
  mutating func takeUpdates() -> StrapUpdates? {
    guard waiting.isEmpty else { return nil }
    if let lastFrame = gaps.lastFrame, lastFrame != told.lastFrame { news.measured(at: lastFrame) }
    news.isDescribed = told.revision != description.revision
    told = (gaps.lastFrame, description.revision)
    defer { news = StrapUpdates() }
    return news.isEmpty ? nil : news
  }

  /// Whether the link has ended and nothing is pending.
  var hasEnded: Bool { !isConnected && waiting.isEmpty && ready.isEmpty && gaps.changes.isEmpty }

  // MARK: - Description

  mutating func setName(_ name: String) {
    description.setName(name)
    if description.isComplete { release() }
  }

  /// Stores the value of a characteristic. Characteristics that do not describe the strap are ignored.
  ///
  /// - Returns: The battery level, if the characteristic is one.
  @discardableResult
  mutating func learn(_ characteristic: BluetoothUUID, _ value: AttributeValue) -> BatteryLevel? {
    let battery = characteristic == .batteryLevel ? learnBattery(value) : nil
    if let reason = description.learn(characteristic, value) {
      anomalies["\(characteristic).\(reason.rawValue)", default: 0] += 1
    }
    if description.isComplete { release() }
    return battery
  }

  /// Marks the description as final.
  mutating func release() {
    isDescribed = true
    endWaiting()
  }

  /// Makes waiting drafts ready. Later drafts may wait again.
  mutating func endWaiting() {
    waitingSince = nil
    ready.append(contentsOf: waiting)
    waiting.removeAll()
  }

  /// Stores a Battery Level that was read or notified.
  ///
  /// - Returns: `nil` if it cannot be decoded.
  @discardableResult
  mutating func learnBattery(_ value: AttributeValue, at time: ReceiptTime? = nil) -> BatteryLevel? {
    do throws(GATTDecodingError) {
      let level = try BatteryLevel(decoding: value)
      news.battery = level.percentage
      if let time { news.saw(at: time) }
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
  /// - Returns: The reason for a rejection; `nil` if a heart-rate draft was created.
  mutating func receive(
    _ frame: AttributeValue, at time: ReceiptTime, marks: FrameMarks = [],
    onDecoded: (HeartRateMeasurement, MonitorSettings) -> Void = { _, _ in }
  ) -> Rejection? {
    measurements += 1
    guard time.isInSampleRange else { return .receiptTimeOutOfRange }
    gaps.receive(at: time)
    let isTruncated = marks.contains(.truncated)
    // The intervals that were cut off are lost.
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
    // Before the rejection, because the total is valid even if the frame has no heart rate.
    if let total = measurement.energyExpended, let difference = energy.receive(total, at: time) {
      draft(.energy(difference, frame: frame), at: time)
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
    // Intervals that may be duplicates are not joined to others. They form a marked segment of their own.
    let isDoubtful = marks.contains(.mayBeCopy) && !measurement.rrTicks.isEmpty
    if isDoubtful { endSegment(at: time) }
    // The estimated times of delayed frames say nothing about the interval unit.
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

  /// Counts a measurement that is dropped because there is no room. It is not decoded.
  mutating func shed(at time: ReceiptTime) -> Rejection {
    measurements += 1
    guard time.isInSampleRange else { return .receiptTimeOutOfRange }
    gaps.lose(.storeUnavailable, at: time)
    // Its intervals are lost, so the beats before and after it must not be joined.
    endSegment(at: time)
    return .storeFailed
  }

  /// Records that frames were lost in transit, at an unknown time after `time`.
  mutating func loseFrames(at time: ReceiptTime) {
    if isFollowed { beginGap(.overflow, at: time) } else { interrupt() }
  }

  /// Starts a gap that lasts until the next frame. Only the cause ``GapCause/overflow`` ends the current
  /// segment: frames were lost although the following ones arrive in time. For other causes, the beat clock
  /// detects missing beats.
  mutating func beginGap(_ cause: GapCause, at time: ReceiptTime) {
    if cause == .overflow { interrupt() }
    guard time.isInSampleRange else { return }
    gaps.begin(cause, at: time)
    ratio.interrupt()
    // Do not wait any longer for the description: no frame may arrive that would end the waiting.
    endWaiting()
  }

  /// Records the start of a link. If the previous one is still open, its end was missed.
  mutating func connect(at time: ReceiptTime) {
    if isConnected {
      beginGap(.unknown, at: time)
      disconnect()
    }
    isConnected = true
    if time.isInSampleRange {
      news.saw(at: time)
      clock.beginLink(at: time)
    }
  }

  /// Ends the segment because frames may be missing. No interval is joined across, but the strap is the same.
  mutating func interrupt() { endSegment(at: nil) }

  /// Ends the segment after a clock change. Earlier drafts keep their times, and nothing is joined across.
  mutating func endTimes() {
    clock.forgetTimes()
    ratio.interrupt()
    draftFinishedSegments(at: nil)
    endWaiting()
  }

  /// Corrects remembered times to the new setting of the clock. Drafts that were already returned keep
  /// theirs.
  mutating func correct(_ corrected: (ReceiptTime) -> ReceiptTime) {
    gaps.correct(corrected)
    energy.correct(corrected)
    told.lastFrame = gaps.lastFrame
  }

  /// Records the end of the link. The energy total may restart in the next one.
  mutating func disconnect() {
    isConnected = false
    interrupt()
    contact.endLink()
    energy.forget()
    release()
    // The next link may complete the description, so drafts wait for it again.
    isDescribed = isKnown || description.isComplete
  }

  private mutating func endSegment(at time: ReceiptTime?, marks: FrameMarks = []) {
    clock.interrupt()
    ratio.interrupt()
    draftFinishedSegments(at: time, marks: marks)
  }

  private mutating func draftFinishedSegments(at time: ReceiptTime?, marks: FrameMarks = []) {
    let surplus = clock.takeSurplus()
    if surplus.dropped + surplus.stored > 0 {
      surplusIntervals += surplus.dropped + surplus.stored
      anomalies[Plausibility.surplus, default: 0] += surplus.dropped + surplus.stored
    }
    guard !clock.finished.isEmpty else { return }
    for segment in clock.takeFinished() { draft(.beats(segment, marks: marks), at: time) }
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
  /// The reason for which the heart rate is not stored; `nil` if it is.
  fileprivate func rejection(_ settings: MonitorSettings) -> Rejection? {
    if sensorContact == .notDetected, !settings.ignoresSensorContact { return .contactNotDetected }
    if heartRate == 0 { return .zeroHeartRate }
    if !Plausibility.hasHeartRate(self) { return .implausibleHeartRate }
    return nil
  }
}

extension ReceiptTime {
  /// 9999-12-31 23:59:59 UTC. ISO 8601 has no four digits for later years, and a `Date` that far away
  /// rounds by tens of microseconds.
  private static let lastSecondOf9999: Int64 = 253_402_300_799_000_000

  /// Whether a sample can represent the time.
  fileprivate var isInSampleRange: Bool { (0..<Self.lastSecondOf9999).contains(microsecondsSince1970) }
}

extension StrapSession {
  /// The strap's counts; `nil` if it sent no measurement.
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
