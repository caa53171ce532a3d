import Bluetooth
import DBus

/// Deduplicates notifications: removes the copies that bluetoothd sends if other clients have subscribed to
/// the same characteristic.
///
/// bluetoothd sends one signal per subscribed D-Bus client, and every client receives all of them. With a
/// second subscriber, every notification arrives twice. Times cannot distinguish copies from equal
/// measurements: a busy machine spreads copies over half a second, and after bluetoothd or the gateway
/// paused, eight equal measurements are read at once. The order of bluetoothd's messages can (measured on
/// 5.66). Their serial numbers show it (``SenderPlace``):
///
/// - The copies of one notification are sent from one callback, so their serials are consecutive. Equal
///   values with consecutive serials are a *run*. A run is complete when bluetoothd has sent another message,
///   for example the reply to a ping that was sent after the run began. The length of a complete run is a
///   multiple of the number of subscribers. More values of an incomplete run may be on their way.
/// - The set of subscribers does not change without a message of bluetoothd: the reply to StartNotify or
///   StopNotify (ours or another client's), or a match rule for a client's name. The time between two such
///   messages, in which the number of subscribers is constant, is an *epoch* (``SenderPlace/dealings``
///   numbers them). Our own repeated subscription also ends an epoch, whether or not its reply is awaited.
///
/// If an epoch has a complete run of length 1, we are the only subscriber: every value is a measurement, and
/// no value is dropped or held. If all runs are longer, the extra values are held until one of these shows
/// the number of copies:
/// - The runs have more values than the monitor can have measured in that time, judging by the pace and
///   lateness of earlier measurements (``MeasuringPace``).
/// - Two runs with RR intervals have a common divisor: two consecutive measurements do not have the same
///   intervals. Runs without intervals do not count, because a starved machine reads the same number of
///   measurements each time, and some monitors notify each value twice.
///
/// Then one value of each group of copies is passed on. The others are dropped and counted. Without evidence
/// all values are passed on, and those that may be copies are marked ``FrameMarks/mayBeCopy``.
///
/// If signals were lost (``noteLoss()``), the lengths of the runs before and after the loss are not used.
struct DuplicateFilter {
  struct Value: Hashable {
    var octets: AttributeValue
    var receipt: Receipt

    /// Two measurements of this kind are not equal by chance: they have RR intervals (flag bit 4; Heart Rate
    /// Service 1.0, §3.1.1.1).
    var isDistinctive: Bool {
      octets.withBytes { $0.byteCount > 3 && $0.unsafeLoad(as: UInt8.self) & 0x10 != 0 }
    }

    /// Whether bluetoothd sent this value directly after `other`, and both are equal.
    fileprivate func continues(_ other: Value) -> Bool {
      guard let place = receipt.place, let otherPlace = other.receipt.place else { return false }
      return place.comesRightAfter(otherPlace) && octets == other.octets
    }

    fileprivate func isInEpoch(of other: Value) -> Bool {
      receipt.place != nil && receipt.place?.dealings == other.receipt.place?.dealings
    }
  }

  /// A value that is passed on.
  struct Passed: Hashable {
    var value: Value
    var mayBeCopy = false
  }

  /// Equal values with consecutive serials, or the part of them that is still undecided.
  struct Run {
    /// The undecided values. The first may have been passed on when it arrived.
    private(set) var values: [Value]
    /// The number of earlier values of the run that are already decided, for example because the run took too
    /// long to end.
    private(set) var before = 0
    private(set) var isFirstPassed: Bool
    /// The run has RR intervals, and the next value was different.
    fileprivate(set) var isDistinctive: Bool
    /// Values of the run may have been lost.
    fileprivate var isTorn: Bool
    fileprivate let epoch: UInt64?

    fileprivate init(_ first: Value, isPassed: Bool, isTorn: Bool) {
      values = [first]
      isFirstPassed = isPassed
      self.isTorn = isTorn
      isDistinctive = first.isDistinctive
      epoch = first.receipt.place?.dealings
    }

    var count: Int { before + values.count }
    /// The first value that is not passed on yet.
    fileprivate var firstHeld: Value? { isFirstPassed ? values.dropFirst().first : values.first }

    /// Whether the value at `index` is the first of a group of `copies`, and thus passed on.
    fileprivate func isFirst(_ index: Int, ofEach copies: Int) -> Bool {
      (before + index).isMultiple(of: copies)
    }

    /// The number of measurements among the undecided values if each was sent `copies` times.
    func measurements(ofEach copies: Int) -> Int {
      (count + copies - 1) / copies - (before + copies - 1) / copies
    }

    fileprivate mutating func append(_ value: Value) { values.append(value) }

    /// Marks all values that have arrived as decided.
    fileprivate mutating func decide() {
      before = count
      values.removeAll()
      isFirstPassed = false
    }
  }

  /// How long an undecided value is held. Long enough for six runs of a monitor that measures once a second.
  static let timeout = Duration.seconds(8)
  /// Maximum number of values of one run that are held.
  static let longestRun = 1024
  private static let enoughStrongRuns = 2

  /// How many times each notification is sent in this epoch; `nil` if unknown.
  private(set) var copies: Int?
  /// The last known value of ``copies``.
  private var lastCopies: Int?
  /// The greatest common divisor of the lengths of this epoch's complete runs; 0 before the first.
  private var epochDivisor = 0
  private var last: Value?
  /// The run that may continue.
  private var run: Run?
  private var isSeparated = false
  /// Signals were lost after the last value.
  private var isAfterLoss = false
  /// Undecided runs of this epoch.
  private var pending: [Run] = []
  private var pace = MeasuringPace()
  private var dropped = 0

  /// Whether a reply from bluetoothd, requested now, would show where the run ends, and this is needed.
  var wantsSeparator: Bool { run != nil && copies != 1 && !isSeparated }

  /// Records that bluetoothd was asked for a reply after the last value arrived.
  mutating func noteSeparator() { isSeparated = true }

  /// Receives one signaled value.
  ///
  /// - Returns: The values that are notifications of their own, oldest first.
  mutating func receive(_ value: Value) -> [Passed] {
    defer { last = value }
    guard let last, !isAfterLoss, value.continues(last) else {
      // Equal intervals, for example with a pacemaker, do not show copies.
      if value.octets == last?.octets { run?.isDistinctive = false }
      let before = endRun()
      let settled = last.map { value.isInEpoch(of: $0) } ?? true ? [] : beginEpoch()
      return before + settled + beginRun(value)
    }
    return extendRun(value)
  }

  /// Passes a value on if we are known to be the only subscriber: then every value is a measurement.
  ///
  /// - Returns: `false` if this is not known; then the filter is unchanged.
  mutating func passAlone(_ value: Value) -> Bool {
    guard copies == 1, pending.isEmpty, !isAfterLoss, let last, value.isInEpoch(of: last) else {
      return false
    }
    // The length of the run is not needed any more.
    run = nil
    note(value)
    self.last = value
    return true
  }

  /// Returns the number of copies that were dropped since the last call.
  mutating func takeDropped() -> Int {
    defer { dropped = 0 }
    return dropped
  }

  /// The monitor's measuring period; `nil` if unknown.
  var period: Duration? { pace.period }

  /// The same, but without the last measurement if it was too early.
  var periodBefore: Duration? { pace.periodBefore }

  /// Forgets the receipt times so far, because they do not show the measuring period.
  mutating func forgetPace() { pace.disprove() }

  /// When ``flush(at:)`` has to be called.
  var deadline: BootTime? {
    let held = pending.first?.values.first ?? (copies == nil ? run?.firstHeld : nil)
    return held.map { $0.receipt.boot + Self.timeout }
  }

  /// Decides the held values if their deadline has passed.
  mutating func flush(at now: BootTime) -> [Passed] {
    guard let deadline, deadline <= now else { return [] }
    return end()
  }

  /// Records that signals were lost after the last value. Held values have to be flushed first.
  mutating func noteLoss() {
    run?.isTorn = true
    isAfterLoss = true
    pace.noteDoubt()
  }

  /// Releases all held values, because the link ended or a later event has to follow them. The current run
  /// may still continue.
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
    // Keep the order: do not pass a value on before the held ones.
    let isPassed = pending.isEmpty
    run = Run(value, isPassed: isPassed, isTorn: isAfterLoss)
    // It may be a copy of the value before the loss.
    let mayBeCopy = isAfterLoss && copies != 1 && value.octets == last?.octets
    isAfterLoss = false
    isSeparated = false
    if copies != nil { note(value) }
    return isPassed ? [Passed(value: value, mayBeCopy: mayBeCopy)] : []
  }

  private mutating func extendRun(_ value: Value) -> [Passed] {
    // An equal value that was passed alone left no run, so this value begins one.
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

  /// Another message followed the run, so it is complete.
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
      // The number of subscribers is different from what was assumed.
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

  /// Records a measurement.
  private mutating func note(_ value: Value) { pace.note(value.receipt.boot) }

  // MARK: - Epochs

  /// Begins an epoch, because a client may have subscribed or left. Later values say nothing about those held
  /// from before, so they are released now.
  private mutating func beginEpoch() -> [Passed] {
    let passed = settle()
    lastCopies = copies ?? lastCopies
    copies = nil
    epochDivisor = 0
    return passed
  }

  /// Determines the number of copies if the complete runs of this epoch show it.
  private mutating func decide() -> [Passed] {
    // Values that were decided early are not in `pending`, so there may be no evidence left.
    guard let evident = epochDivisor == 1 ? 1 : pending.isEmpty ? nil : evidentCopies() else { return [] }
    copies = evident
    defer { pending = [] }
    return pass(pending, oneOf: evident)
  }

  /// The proven number of copies of each held notification; `nil` if it may be one.
  private mutating func evidentCopies() -> Int? {
    let possible = possibleCopies()
    // One run is enough to confirm the last known number.
    let isEnoughByPace =
      possible.contains { $0 == lastCopies } || pending.count >= Self.enoughStrongRuns
    if let count = possible.first, count > 1, possible.count == 1, isEnoughByPace { return count }
    return pending.count(where: { $0.isDistinctive && !$0.isTorn }) >= Self.enoughStrongRuns
      ? epochDivisor : nil
  }

  /// The possible numbers of copies: divisors of all complete runs' lengths for which the runs have no more
  /// measurements than the pace allows. Empty if unknown.
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

  /// Releases the held values without waiting further. Drops values that the monitor cannot have measured, or
  /// else marks the values that may be copies.
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

  /// Passes on one of each `count` values.
  ///
  /// - Parameter most: The largest possible number of copies, 0 for any. Values that would be copies with
  ///   this number are marked as possible copies.
  private mutating func pass(_ runs: [Run], oneOf count: Int, orOneOf most: Int? = nil) -> [Passed] {
    var passed: [Passed] = []
    for run in runs {
      for (index, value) in run.values.enumerated() {
        guard run.isFirst(index, ofEach: count) else {
          dropped += 1
          continue
        }
        let isInDoubt = most.map { !run.isFirst(index, ofEach: $0) } ?? false
        if isInDoubt { pace.noteDoubt() } else { note(value) }
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
