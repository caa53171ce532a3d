import Bluetooth
import DBus

/// Deduplicates notifications: removes the copies that bluetoothd sends if other programs have subscribed to
/// the same characteristic.
///
/// bluetoothd sends one signal per subscribed D-Bus client, and every client receives all of them, so with a
/// second subscriber, every notification arrives twice. Receipt times do not distinguish copies from equal
/// measurements: a busy machine spreads copies over half a second, and after a pause of bluetoothd or the
/// gateway, eight equal measurements may be read at once. The serial numbers of bluetoothd's messages
/// (``SenderPosition``) do (measured on 5.66):
///
/// - The copies of one notification are sent from one callback, so their serials are consecutive. Equal
///   values with consecutive serials are a *run*. A run is complete when bluetoothd has sent another message,
///   for example the reply to a ping that was sent after the run began. The length of a complete run is a
///   multiple of the number of subscribers. An incomplete run may still grow.
/// - The set of subscribers does not change without a message of bluetoothd: the reply to StartNotify or
///   StopNotify (hrgate's or another client's), or a match rule for a client's name. The time between two
///   such messages, in which the number of subscribers is constant, is an *epoch*
///   (``SenderPosition/responses`` numbers them). hrgate's own repeated subscription also ends an epoch, even
///   before its reply.
///
/// If an epoch has a complete run of length 1, this program is the only subscriber: every value is a
/// measurement, and no value is dropped or held. If all runs are longer, all values after the first of a run
/// are held until the number of copies becomes known in one of these ways:
/// - The runs have more values than the monitor can have measured in that time, judging by its measuring
///   period (``MeasuringPace``).
/// - The lengths of two runs with RR intervals have a common divisor: two consecutive measurements do not
///   have the same intervals. Runs without intervals do not count, because a machine under load may read the
///   same number of measurements each time, and some monitors send each notification twice.
///
/// From then on, one value of each group of copies is passed on; the others are dropped and counted. Without
/// evidence, all values are passed on, and possible copies are marked ``FrameMarks/mayBeCopy``.
///
/// If D-Bus signals were lost (``recordLoss()``), the lengths of the runs just before and after the loss are
/// not used.
struct DuplicateFilter {
  struct Value: Hashable {
    var attribute: AttributeValue
    var receipt: Receipt

    /// Whether two consecutive measurements with these bytes must be copies: they have RR intervals (flag bit
    /// 4; Heart Rate Service 1.0, §3.1.1.1), which are hardly ever equal by chance.
    var isDistinctive: Bool {
      attribute.withBytes { $0.byteCount > 3 && $0.unsafeLoad(as: UInt8.self) & 0x10 != 0 }
    }

    /// Whether bluetoothd sent this value directly after `other` and both have the same bytes.
    fileprivate func continues(_ other: Value) -> Bool {
      guard let senderPosition = receipt.senderPosition, let otherPosition = other.receipt.senderPosition
      else { return false }
      return senderPosition.comesRightAfter(otherPosition) && attribute == other.attribute
    }

    fileprivate func isInEpoch(of other: Value) -> Bool {
      receipt.senderPosition != nil
        && receipt.senderPosition?.responses == other.receipt.senderPosition?.responses
    }
  }

  /// A value that is passed on to the caller.
  struct Passed: Hashable {
    var value: Value
    var mayBeCopy = false
  }

  /// Equal values with consecutive serial numbers: copies of one notification, or of several equal ones.
  struct Run {
    /// The values that are not yet known to be measurements or copies. If ``isFirstPassed``, the first of
    /// them was already passed on.
    private(set) var values: [Value]
    /// The number of earlier values of this run that were already passed on or dropped, for example because
    /// the run exceeded its maximum length.
    private(set) var before = 0
    private(set) var isFirstPassed: Bool
    /// Whether the run is one measurement and its copies, because the values have RR intervals and the value
    /// after the run was different.
    fileprivate(set) var isDistinctive: Bool
    /// Whether signals may have been lost before or after these values, so that their count is not used.
    fileprivate var isTorn: Bool
    fileprivate let epoch: UInt64?

    fileprivate init(_ first: Value, isPassed: Bool, isTorn: Bool) {
      values = [first]
      isFirstPassed = isPassed
      self.isTorn = isTorn
      isDistinctive = first.isDistinctive
      epoch = first.receipt.senderPosition?.responses
    }

    var count: Int { before + values.count }
    /// The first value that has not been passed on yet.
    fileprivate var firstHeld: Value? { isFirstPassed ? values.dropFirst().first : values.first }

    /// Whether the value at `index` is the first copy of a measurement, if bluetoothd sent each measurement
    /// `copies` times.
    fileprivate func isFirst(_ index: Int, ofEach copies: Int) -> Bool {
      (before + index).isMultiple(of: copies)
    }

    /// Returns the number of measurements among ``values``, if bluetoothd sent each measurement `copies`
    /// times.
    func measurements(ofEach copies: Int) -> Int {
      (count + copies - 1) / copies - (before + copies - 1) / copies
    }

    fileprivate mutating func append(_ value: Value) { values.append(value) }

    /// Marks all values of the run as passed on or dropped.
    fileprivate mutating func decide() {
      before = count
      values.removeAll()
      isFirstPassed = false
    }
  }

  /// Maximum time for which a value that may be a copy is held. In this time, a monitor that
  /// measures once a second sends at least six different values, which usually reveal the number of copies.
  static let timeout = Duration.seconds(8)
  /// Maximum number of equal values that are held.
  static let longestRun = 1024
  private static let enoughStrongRuns = 2

  /// The number of times bluetoothd sends each notification while the subscribers do not change; `nil` if
  /// unknown.
  private(set) var copies: Int?
  /// The last known value of ``copies``. It is kept when ``copies`` becomes `nil`.
  private var lastCopies: Int?
  /// The greatest common divisor of the lengths of all runs of equal values since the subscribers last
  /// changed; 0 before the first. It is a multiple of the number of copies.
  private var epochDivisor = 0
  private var last: Value?
  /// The run of the latest equal values. The next value extends it if it is equal too.
  private var run: Run?
  private var isSeparated = false
  /// Whether signals were lost after the last value.
  private var isAfterLoss = false
  /// Earlier groups of equal values that are held because the number of copies is still unknown.
  private var pending: [Run] = []
  private var pace = MeasuringPace()
  private var dropped = 0

  /// Whether to ping bluetoothd now. The number of copies is still unknown, and the reply would show that no
  /// further copies of the last value will come.
  var wantsSeparator: Bool { run != nil && copies != 1 && !isSeparated }

  /// Records that bluetoothd was pinged after the last value arrived.
  mutating func recordSeparator() { isSeparated = true }

  /// Receives the next value from the bus.
  ///
  /// - Returns: The values that are measurements and not copies, oldest first. They may include earlier
  ///   values that were held.
  mutating func receive(_ value: Value) -> [Passed] {
    defer { last = value }
    guard let last, !isAfterLoss, value.continues(last) else {
      // An equal value that bluetoothd did not send directly after the last one is a new measurement with the
      // same intervals, for example because of a pacemaker. So equal values need not be copies.
      if value.attribute == last?.attribute { run?.isDistinctive = false }
      let before = endRun()
      let settled = last.map { value.isInEpoch(of: $0) } ?? true ? [] : beginEpoch()
      return before + settled + beginRun(value)
    }
    return extendRun(value)
  }

  /// Accepts a value without a check if this program is known to be the only subscriber, so that every value
  /// is a measurement.
  ///
  /// - Returns: `false` if this is not known. In that case, nothing has changed.
  mutating func passAlone(_ value: Value) -> Bool {
    guard copies == 1, pending.isEmpty, !isAfterLoss, let last, value.isInEpoch(of: last) else {
      return false
    }
    // The run is needed only to count copies, and there are no copies.
    run = nil
    note(value)
    self.last = value
    return true
  }

  /// Returns the number of copies that were dropped since the last call.
  mutating func drainDropped() -> Int {
    defer { dropped = 0 }
    return dropped
  }

  /// The monitor's measuring period; `nil` if unknown.
  var period: Duration? { pace.period }

  /// The measuring period, ignoring the last measurement if it arrived too early to fit.
  var periodBefore: Duration? { pace.periodBefore }

  /// Forgets the receipt times of earlier measurements, because the measuring period derived from them was
  /// wrong.
  mutating func forgetPace() { pace.disprove() }

  /// When the held values must be passed on with ``flush(at:)`` although it is unknown whether they are
  /// copies.
  var deadline: BootTime? {
    let held = pending.first?.values.first ?? (copies == nil ? run?.firstHeld : nil)
    return held.map { $0.receipt.boot + Self.timeout }
  }

  /// Returns the held values that are measurements, if their deadline has passed.
  mutating func flush(at now: BootTime) -> [Passed] {
    guard let deadline, deadline <= now else { return [] }
    return end()
  }

  /// Records that D-Bus signals were lost after the last value. Call ``end()`` first, so that no value is
  /// held.
  mutating func recordLoss() {
    run?.isTorn = true
    isAfterLoss = true
    pace.recordDoubt()
  }

  /// Returns the held values that are measurements, because the link has ended or a later event must follow
  /// them. More copies of the last value may still come.
  mutating func end() -> [Passed] {
    if let copies {
      dropCopies(of: copies)
    } else if let run {
      hold(run)
    }
    run?.decide()
    return settle()
  }

  // MARK: - Runs

  private mutating func beginRun(_ value: Value) -> [Passed] {
    // Do not pass this value on before older held values.
    let isPassed = pending.isEmpty
    run = Run(value, isPassed: isPassed, isTorn: isAfterLoss)
    // This value may be a copy of the last value before signals were lost.
    let mayBeCopy = isAfterLoss && copies != 1 && value.attribute == last?.attribute
    isAfterLoss = false
    isSeparated = false
    if copies != nil { note(value) }
    return isPassed ? [Passed(value: value, mayBeCopy: mayBeCopy)] : []
  }

  private mutating func extendRun(_ value: Value) -> [Passed] {
    // `passAlone` accepts values without starting a run. If it accepted the value before this one, start a
    // run now.
    guard run?.append(value) != nil, let run else { return beginRun(value) }
    guard let copies else { return run.values.count < Self.longestRun ? [] : end() }
    let isMeasurement = run.isFirst(run.values.count - 1, ofEach: copies)
    if isMeasurement { note(value) }
    if copies == 1 || run.values.count >= Self.longestRun {
      dropCopies(of: copies)
      self.run?.decide()
    }
    return isMeasurement ? [Passed(value: value)] : []
  }

  /// Handles the end of a run of equal values: bluetoothd has sent a different message after them.
  private mutating func endRun() -> [Passed] {
    guard let run else { return [] }
    guard !run.isTorn else { return endTornRun(run) }
    epochDivisor = greatestCommonDivisor(epochDivisor, run.count)
    guard let copies else {
      self.run = nil
      hold(run)
      return decide()
    }
    defer { self.run = nil }
    var late: [Passed] = []
    if !run.count.isMultiple(of: copies) {
      // The run's length is not a multiple of `copies`, so the assumed number of copies was wrong.
      self.copies = epochDivisor
      let missed = run.values.indices.filter {
        run.isFirst($0, ofEach: epochDivisor) && !run.isFirst($0, ofEach: copies)
      }
      late = missed.map { Passed(value: run.values[$0]) }
      dropped -= late.count
    }
    dropCopies(of: copies)
    return late
  }

  private mutating func endTornRun(_ run: Run) -> [Passed] {
    if let copies { dropCopies(of: copies) } else { hold(run) }
    self.run = nil
    return []
  }

  private mutating func hold(_ run: Run) {
    if !run.values.isEmpty { pending.append(run) }
  }

  private mutating func dropCopies(of copies: Int) {
    guard let run else { return }
    dropped += run.values.count - run.measurements(ofEach: copies)
  }

  /// Records the receipt time of a measurement.
  private mutating func note(_ value: Value) { pace.note(value.receipt.boot) }

  // MARK: - Epochs

  /// Begins an epoch: another program may have subscribed or unsubscribed, which changes the number of
  /// copies. The held values are from before the change, so they are now passed on or dropped.
  private mutating func beginEpoch() -> [Passed] {
    let passed = settle()
    lastCopies = copies ?? lastCopies
    copies = nil
    epochDivisor = 0
    return passed
  }

  /// Determines the number of copies, if the lengths of this epoch's runs reveal it, and returns the held
  /// values that are measurements.
  private mutating func decide() -> [Passed] {
    // Without held values, there is no evidence for more than one copy per measurement.
    guard let evident = epochDivisor == 1 ? 1 : pending.isEmpty ? nil : evidentCopies() else { return [] }
    copies = evident
    defer { pending = [] }
    return pass(pending, oneOf: evident)
  }

  /// Returns the number of copies of each measurement, if the held values prove it; otherwise `nil`.
  private mutating func evidentCopies() -> Int? {
    let possible = possibleCopies()
    // One run is enough evidence if it confirms the number of copies before the subscribers changed.
    let isEnoughByPace =
      possible.contains { $0 == lastCopies } || pending.count >= Self.enoughStrongRuns
    if let count = possible.first, count > 1, possible.count == 1, isEnoughByPace { return count }
    return pending.count(where: { $0.isDistinctive && !$0.isTorn }) >= Self.enoughStrongRuns
      ? epochDivisor : nil
  }

  /// Returns the numbers of copies that are possible: common divisors of the lengths of all complete runs.
  /// Excludes numbers so small that the monitor would have measured more often than its measuring period
  /// allows. Empty if nothing is known.
  private mutating func possibleCopies() -> [Int] {
    guard epochDivisor > 0, let last = pending.last?.values.last,
      let most = pace.most(until: last.receipt.boot)
    else { return [] }
    let possible = (1...epochDivisor).filter { divisor in
      epochDivisor.isMultiple(of: divisor)
        && pending.map { $0.measurements(ofEach: divisor) }.reduce(0, +) <= most
    }
    if possible.isEmpty { pace.disprove() }
    return possible
  }

  /// Returns the held values even though the number of copies is unknown. Drops values that the monitor
  /// cannot have measured in this time, and marks values that may be copies.
  private mutating func settle() -> [Passed] {
    guard !pending.isEmpty else { return [] }
    defer { pending = [] }
    let possible = possibleCopies()
    let fewest = possible.first ?? 1
    guard fewest > 1, possible.count == 1 else {
      return pass(pending, oneOf: fewest, orOneOf: possible.last ?? epochDivisor)
    }
    lastCopies = fewest
    return pass(pending, oneOf: fewest)
  }

  /// Returns every `count`th value of the held runs. If bluetoothd sent each measurement `count` times, these
  /// are the measurements.
  ///
  /// - Parameter most: The largest possible number of copies; 0 if unlimited. Values that would be copies if
  ///   bluetoothd sent each measurement `most` times are marked as possible copies.
  private mutating func pass(_ runs: [Run], oneOf count: Int, orOneOf most: Int? = nil) -> [Passed] {
    var passed: [Passed] = []
    for run in runs {
      for (index, value) in run.values.enumerated() {
        guard run.isFirst(index, ofEach: count) else {
          dropped += 1
          continue
        }
        let isInDoubt = most.map { !run.isFirst(index, ofEach: $0) } ?? false
        if isInDoubt { pace.recordDoubt() } else { note(value) }
        if index > 0 || !run.isFirstPassed { passed.append(Passed(value: value, mayBeCopy: isInDoubt)) }
      }
    }
    return passed
  }
}

func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
  var (divisor, rest) = (first, second)
  while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
  return divisor
}
