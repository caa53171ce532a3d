import Bluetooth

/// The conversation with one strap: what it is, and what its frames become.
///
/// A pure reducer. A central may deliver the first measurements before it has read where the strap is worn
/// and who made it. Drafts therefore wait here until the description is complete, but no longer than
/// ``patience`` by the frames' own clock, so that a replay and a live strap decide alike.
struct StrapSession {
  /// How long measurements wait for the strap's description, in microseconds of receipt time.
  static let patience: Int64 = 60_000_000
  /// How many drafts wait at most, whatever their times claim.
  static let maximumWaiting = 512

  private(set) var description: MonitorDescription
  private(set) var measurements = 0
  /// Deviations of frames and descriptions that were read over, by name.
  private(set) var anomalies: [String: Int] = [:]
  private(set) var isConnected = false
  /// Where its frames stopped and went on.
  private(set) var gaps: GapTracker
  private var news = StrapNews()
  /// What was handed on as news already.
  private var told: (lastFrame: ReceiptTime?, revision: Int)
  let settings: MonitorSettings
  private var clock: BeatClock
  private var ratio: IntervalRatio
  private var contact = ContactCheck()
  private var energy = EnergyTotal()
  private var isDescribed = false
  private var waitingSince: ReceiptTime?
  private var waiting: [SampleDraft] = []
  /// The drafts that no longer wait.
  private(set) var ready: [SampleDraft] = []

  /// An earlier run described the strap: its measurements wait for nothing.
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

  /// A session with a strap that was described in an earlier run, until it describes itself again.
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

  /// The beats of the run in progress, unless the frames that brought them still wait for the description.
  var openSegment: BeatSegment? { waiting.isEmpty ? clock.open : nil }

  /// What was handed on of the run in progress.
  private var toldOpen: (firstReceipt: ReceiptTime, count: Int, knownUntil: ReceiptTime)?

  /// The run in progress, if it has changed since it was last asked for.
  mutating func takeOpenSegment() -> BeatSegment? {
    guard let segment = openSegment else { return nil }
    let told = (segment.firstReceipt, segment.intervals.count, segment.knownUntil)
    if let toldOpen, toldOpen == told { return nil }
    toldOpen = told
    return segment
  }

  /// The user deleted the series of the run in progress: what comes next is another.
  mutating func discardOpenSegment() { clock.discardOpen() }

  /// The ready drafts were handed on.
  mutating func removeReady() { ready.removeAll(keepingCapacity: true) }

  /// The number of intervals for which there was no time.
  private(set) var surplusIntervals = 0
  /// The sum of the intervals of the last ten minutes divided by the time that passed, if the two deviate.
  var intervalRatio: Double? { ratio.deviation }
  /// The number of plausible measurements of links during which the strap never had contact.
  var withoutContact: Int { contact.suspects }

  /// What was counted was reported.
  mutating func forgetCounts() {
    ratio = IntervalRatio(intervalUnit: settings.intervalUnit)
    contact = ContactCheck()
    measurements = 0
    surplusIntervals = 0
    anomalies = [:]
  }

  /// Gaps that can be stored: not before the frames around them.
  var hasReadyGaps: Bool { !gaps.changes.isEmpty && waiting.isEmpty }

  mutating func takeReadyGaps() -> [GapDraft] { hasReadyGaps ? gaps.takeChanges() : [] }

  /// Its frames arrive, or did in this run: a recording may begin in mid-connection.
  var isFollowed: Bool { isConnected || gaps.lastFrame != nil }

  /// Something is new about the strap beside its measurements.
  var hasNews: Bool { !news.isEmpty || told.revision != description.revision }

  /// What is new about the strap since it was last asked for; `nil` where there is nothing, or where its
  /// frames still wait.
  mutating func takeNews() -> StrapNews? {
    guard waiting.isEmpty else { return nil }
    if let lastFrame = gaps.lastFrame, lastFrame != told.lastFrame { news.measured(at: lastFrame) }
    news.isDescribed = told.revision != description.revision
    told = (gaps.lastFrame, description.revision)
    defer { news = StrapNews() }
    return news.isEmpty ? nil : news
  }

  /// The link is gone and nothing waits.
  var hasEnded: Bool { !isConnected && waiting.isEmpty && ready.isEmpty && gaps.changes.isEmpty }

  // MARK: - What is learnt about the strap

  mutating func setName(_ name: String) {
    description.setName(name)
    if description.isComplete { release() }
  }

  /// A characteristic was read; one that says nothing about the strap is ignored.
  ///
  /// - Returns: The battery level, where it is one.
  @discardableResult
  mutating func learn(_ characteristic: BluetoothUUID, _ value: AttributeValue) -> BatteryLevel? {
    let battery = characteristic == .batteryLevel ? learnBattery(value) : nil
    if let reason = description.learn(characteristic, value) {
      anomalies["\(characteristic).\(reason.rawValue)", default: 0] += 1
    }
    if description.isComplete { release() }
    return battery
  }

  /// No more will be learnt about the strap.
  mutating func release() {
    isDescribed = true
    endWaiting()
  }

  /// What waits for the strap's description waits no longer; what comes may.
  mutating func endWaiting() {
    waitingSince = nil
    ready.append(contentsOf: waiting)
    waiting.removeAll()
  }

  /// A Battery Level was read or notified.
  ///
  /// - Returns: `nil` for what is none.
  @discardableResult
  mutating func learnBattery(_ value: AttributeValue, at time: ReceiptTime? = nil) -> BatteryLevel? {
    do throws(DecodingFailure) {
      let level = try BatteryLevel(decoding: value)
      news.battery = level.percentage
      if let time { news.saw(at: time) }
      return level
    } catch {
      anomalies["\(BluetoothUUID.batteryLevel).\(error.reason.rawValue)", default: 0] += 1
      return nil
    }
  }

  // MARK: - What the strap measures

  /// - Parameter onDecoded: Called with the measurement, unless its heart rate is implausible.
  /// - Returns: Why the measurement becomes no heart-rate sample, or `nil` where a draft of one was made.
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
    do throws(DecodingFailure) {
      measurement = try frame.withBytes { bytes throws(DecodingFailure) in
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
    // Nothing is joined to intervals that may be there twice: they are a run by themselves, and marked.
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

  /// A measurement arrived that there is no room for. It is not even decoded.
  mutating func shed(at time: ReceiptTime) -> Rejection {
    measurements += 1
    guard time.isInSampleRange else { return .receiptTimeOutOfRange }
    gaps.lose(.storeUnavailable, at: time)
    endSegment(at: time)
    return .storeFailed
  }

  /// Records that frames were lost on their way from the monitor, at an unknown time after `time`.
  mutating func loseFrames(at time: ReceiptTime) {
    if isFollowed { beginGap(.overflow, at: time) } else { interrupt() }
  }

  /// Begins a gap that lasts until the next frame. Only a gap ``GapCause/overflow`` ends the run of beats:
  /// frames were lost, although the following ones arrive in time. For other causes, the clock detects
  /// missing beats.
  mutating func beginGap(_ cause: GapCause, at time: ReceiptTime) {
    if cause == .overflow { interrupt() }
    guard time.isInSampleRange else { return }
    gaps.begin(cause, at: time)
    ratio.interrupt()
    // Perhaps nothing arrives any more that would end the waiting.
    endWaiting()
  }

  /// A link begins. One that was there before has ended unseen.
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

  /// Frames may be missing here: no interval is joined across, but the strap is the same.
  mutating func interrupt() { endSegment(at: nil) }

  /// The clock was set. What came before is told by the times it was given, and nothing is joined across.
  mutating func endTimes() {
    clock.forgetTimes()
    ratio.interrupt()
    draftFinishedSegments(at: nil)
    endWaiting()
  }

  /// What is remembered of earlier times is told by the new setting; what was handed on before is not.
  mutating func correct(_ corrected: (ReceiptTime) -> ReceiptTime) {
    gaps.correct(corrected)
    energy.correct(corrected)
    told.lastFrame = gaps.lastFrame
  }

  /// The link is gone, and with it the strap's promise that the energy total goes on.
  mutating func disconnect() {
    isConnected = false
    interrupt()
    contact.endLink()
    energy.forget()
    release()
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
    if time.microseconds(since: since) > Self.patience || waiting.count > Self.maximumWaiting { release() }
  }
}

extension HeartRateMeasurement {
  /// Why this measurement's heart rate is none.
  fileprivate func rejection(_ settings: MonitorSettings) -> Rejection? {
    if sensorContact == .notDetected, !settings.ignoresSensorContact { return .contactNotDetected }
    if heartRate == 0 { return .zeroHeartRate }
    if !Plausibility.hasHeartRate(self) { return .implausibleHeartRate }
    return nil
  }
}

extension ReceiptTime {
  /// 9999-12-31 23:59:59 UTC: ISO 8601 has no four digits for later years, and a `Date` so far away rounds by
  /// tens of microseconds.
  private static let lastSecondOf9999: Int64 = 253_402_300_799_000_000

  /// A sample can state it.
  fileprivate var isInSampleRange: Bool { (0..<Self.lastSecondOf9999).contains(microsecondsSince1970) }
}
