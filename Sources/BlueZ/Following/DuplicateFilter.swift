import Bluetooth
import DBus

/// Recognises the copies of a notification that other subscribers of the same characteristic cause.
///
/// bluetoothd signals a value once for each D-Bus client that has subscribed, and each signal reaches every
/// client. So with a second subscriber every notification comes twice. No clock tells copies from equal
/// measurements: a busy machine spreads copies over half a second, and eight equal measurements are read at
/// once where bluetoothd or the gateway stood still for a second. What does tell is the order of what
/// bluetoothd sends (measured on 5.66), which its message numbers show (``SenderPlace``):
///
/// - The copies of one notification leave in one callback: their numbers follow each other, with nothing
///   between. Equal values with consecutive numbers are a *run*. Once bluetoothd has said anything else, as
///   the answer to a ping that was sent after the run began, the run is *whole*, and its length a multiple of
///   the number of subscribers. Before that more of it may be on its way, and its length says nothing.
/// - Nobody subscribes or leaves without a message of bluetoothd: the answer to StartNotify or StopNotify, to
///   others as to us, a rule for the client's name given to the bus or taken back. So between two such
///   *dealings* the number of subscribers does not change; that is an *era*. A subscription of our own that
///   is made anew ends one, whether or not somebody awaits its answer.
///
/// In an era one whole run of one value proves that we are alone: everything in it is a measurement, and
/// nothing is dropped or held back. Where all runs are longer, the extra values are held until there is
/// evidence in their era:
/// - the runs have more values than the monitor can have measured in the time, by the pace of those before
///   and by how late they came (``MeasuringPace``); or
/// - two runs with RR intervals have a common divisor: two measurements in a row do not have the same intervals.
///   Runs without intervals are no such evidence: a starved machine reads as many measurements each time, and
///   some monitors notify each value twice.
/// Then one of each so many is a measurement, and the others are dropped and counted. Without evidence the
/// values are handed on, those in doubt marked as ``FrameMarks/mayBeCopy``.
///
/// Where signals were lost (``noteLoss()``), the length of the run before and of the one after says nothing.
struct DuplicateFilter {
  struct Value: Hashable {
    var octets: AttributeValue
    var receipt: Receipt

    /// Two measurements of this kind are not alike by chance (Heart Rate Service 1.0, §3.1.1.1: bit 4, RR
    /// intervals).
    var isDistinctive: Bool {
      octets.withBytes { $0.byteCount > 3 && $0.unsafeLoad(as: UInt8.self) & 0x10 != 0 }
    }

    /// bluetoothd sent it right after an equal one.
    fileprivate func continues(_ other: Value) -> Bool {
      guard let place = receipt.place, let otherPlace = other.receipt.place else { return false }
      return place.comesRightAfter(otherPlace) && octets == other.octets
    }

    fileprivate func isInEra(of other: Value) -> Bool {
      receipt.place != nil && receipt.place?.dealings == other.receipt.place?.dealings
    }
  }

  /// A value that is handed on.
  struct Passed: Hashable {
    var value: Value
    var mayBeCopy = false
  }

  /// Equal values that bluetoothd sent back to back, or their rest.
  struct Run {
    /// Those that are not decided. The first may have been handed on when it came.
    private(set) var values: [Value]
    /// So many before them were decided about, some because the run's end took too long to come.
    private(set) var before = 0
    private(set) var isFirstPassed: Bool
    /// Has RR intervals, and a different value came next.
    fileprivate(set) var isDistinctive: Bool
    /// Some of it may have been lost.
    fileprivate var isTorn: Bool
    fileprivate let era: UInt64?

    fileprivate init(_ first: Value, isPassed: Bool, isTorn: Bool) {
      values = [first]
      isFirstPassed = isPassed
      self.isTorn = isTorn
      isDistinctive = first.isDistinctive
      era = first.receipt.place?.dealings
    }

    var count: Int { before + values.count }
    /// What may come late of it and is not handed on yet.
    fileprivate var firstHeld: Value? { isFirstPassed ? values.dropFirst().first : values.first }

    /// Whether the value at this index is one that is handed on, where there are so many copies.
    fileprivate func isFirst(_ index: Int, ofEach copies: Int) -> Bool {
      (before + index).isMultiple(of: copies)
    }

    /// How many measurements those that are not decided are, where there are so many copies.
    func measurements(ofEach copies: Int) -> Int {
      (count + copies - 1) / copies - (before + copies - 1) / copies
    }

    fileprivate mutating func append(_ value: Value) { values.append(value) }

    /// All that has come is decided about.
    fileprivate mutating func decide() {
      before = count
      values.removeAll()
      isFirstPassed = false
    }
  }

  /// How long an undecided value is held. Six runs of a monitor that measures once a second are decided
  /// within it.
  static let patience = Duration.seconds(8)
  /// So many values of one run are held at most.
  static let longestRun = 1024
  private static let enoughStrongRuns = 2

  /// How often each notification is signalled in this era; `nil` where that is not known.
  private(set) var copies: Int?
  /// The same where it was known last.
  private var lastCopies: Int?
  /// A divisor of all whole runs of this era; 0 before the first.
  private var eraDivisor = 0
  private var last: Value?
  /// The run that may go on.
  private var run: Run?
  private var isSeparated = false
  /// Signals were lost after the last value.
  private var isAfterLoss = false
  /// Runs of this era that are not decided about.
  private var pending: [Run] = []
  private var pace = MeasuringPace()
  private var dropped = 0

  /// An answer of bluetoothd, asked for now, would show where the run ends, and that matters.
  var wantsSeparator: Bool { run != nil && copies != 1 && !isSeparated }

  /// bluetoothd was asked for an answer, after the last value had come.
  mutating func noteSeparator() { isSeparated = true }

  /// Takes one signalled value.
  ///
  /// - Returns: What is a notification of its own, oldest first.
  mutating func receive(_ value: Value) -> [Passed] {
    defer { last = value }
    guard let last, !isAfterLoss, value.continues(last) else {
      // Equal intervals, as of a pacemaker, are no evidence of copies.
      if value.octets == last?.octets { run?.isDistinctive = false }
      let before = endRun()
      let settled = last.map { value.isInEra(of: $0) } ?? true ? [] : beginEra()
      return before + settled + beginRun(value)
    }
    return extendRun(value)
  }

  /// Takes a value of an era in which we are known to be alone: it is a measurement, whatever it says.
  ///
  /// - Returns: Whether it is one; else nothing has changed.
  mutating func passAlone(_ value: Value) -> Bool {
    guard copies == 1, pending.isEmpty, !isAfterLoss, let last, value.isInEra(of: last) else { return false }
    // Its length says nothing new.
    run = nil
    note(value)
    self.last = value
    return true
  }

  /// How many copies were dropped since the last call.
  mutating func takeDropped() -> Int {
    defer { dropped = 0 }
    return dropped
  }

  /// How often the monitor measures; `nil` where that is not known.
  var period: Duration? { pace.period }

  /// The same without the last measurement if that was too early.
  var periodBefore: Duration? { pace.periodBefore }

  /// Forgets the receipts so far, which say nothing about how often the monitor measures.
  mutating func forgetPace() { pace.disprove() }

  /// When ``flush(at:)`` has something to do.
  var deadline: BootTime? {
    let held = pending.first?.values.first ?? (copies == nil ? run?.firstHeld : nil)
    return held.map { $0.receipt.boot + Self.patience }
  }

  /// Decides about what is held, once its time has come.
  mutating func flush(at now: BootTime) -> [Passed] {
    guard let deadline, deadline <= now else { return [] }
    return end()
  }

  /// Signals were lost after the last value; nothing is held.
  mutating func noteLoss() {
    run?.isTorn = true
    isAfterLoss = true
    pace.noteDoubt()
  }

  /// Nothing is to be held any more: the link ended, or something is to be told that comes after all this.
  /// More of a run may come all the same.
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
    // Nothing may overtake what is held.
    let isPassed = pending.isEmpty
    run = Run(value, isPassed: isPassed, isTorn: isAfterLoss)
    // What came before the loss may have been a copy of it.
    let mayBeCopy = isAfterLoss && copies != 1 && value.octets == last?.octets
    isAfterLoss = false
    isSeparated = false
    if copies != nil { note(value) }
    return isPassed ? [Passed(value: value, mayBeCopy: mayBeCopy)] : []
  }

  private mutating func extendRun(_ value: Value) -> [Passed] {
    // An equal one that was passed alone left no run: this one begins it.
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

  /// Something else came after the run, so it is whole.
  private mutating func endRun() -> [Passed] {
    guard let run else { return [] }
    guard !run.isTorn else { return endTornRun(run) }
    eraDivisor = greatestCommonDivisor(eraDivisor, run.count)
    guard let copies else {
      self.run = nil
      hold(run)
      return decide()
    }
    defer { self.run = nil }
    var late: [Passed] = []
    if !run.count.isMultiple(of: copies) {
      // There are not as many subscribers as was thought.
      self.copies = eraDivisor
      let missed = run.values.indices.filter {
        run.isFirst($0, ofEach: eraDivisor) && !run.isFirst($0, ofEach: copies)
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

  /// It is a measurement.
  private mutating func note(_ value: Value) { pace.note(value.receipt.boot) }

  // MARK: - Eras

  /// Somebody may have subscribed or left. What is held and was not decided by then is no better known later.
  private mutating func beginEra() -> [Passed] {
    let passed = settle()
    lastCopies = copies ?? lastCopies
    copies = nil
    eraDivisor = 0
    return passed
  }

  /// A run of this era is whole.
  private mutating func decide() -> [Passed] {
    // Of what was decided about before its time, nothing is left to judge by.
    guard let evident = eraDivisor == 1 ? 1 : pending.isEmpty ? nil : evidentCopies() else { return [] }
    copies = evident
    defer { pending = [] }
    return pass(pending, oneOf: evident)
  }

  /// How many copies there are of each notification of all that is held; `nil` where it may be one.
  private mutating func evidentCopies() -> Int? {
    let possible = possibleCopies()
    // What was so before needs less to be so again.
    let isEnoughByPace =
      possible.contains { $0 == lastCopies } || pending.count >= Self.enoughStrongRuns
    if let count = possible.first, count > 1, possible.count == 1, isEnoughByPace { return count }
    return pending.count(where: { $0.isDistinctive && !$0.isTorn }) >= Self.enoughStrongRuns
      ? eraDivisor : nil
  }

  /// How many copies there may be of each measurement: the divisors of what divides the lengths of all whole
  /// runs with which the runs are no more measurements than there can be. Empty where that cannot be said.
  private mutating func possibleCopies() -> [Int] {
    guard eraDivisor > 0, let last = pending.last?.values.last, let most = pace.most(until: last.receipt.boot)
    else { return [] }
    let possible = (1...eraDivisor).filter { divisor in
      eraDivisor.isMultiple(of: divisor)
        && pending.map { $0.measurements(ofEach: divisor) }.reduce(0, +) <= most
    }
    if possible.isEmpty { pace.disprove() }
    return possible
  }

  /// No more is waited for. What the monitor cannot have measured is dropped; else what may be copies is
  /// handed on as that.
  private mutating func settle() -> [Passed] {
    guard !pending.isEmpty else { return [] }
    defer { pending = [] }
    let possible = possibleCopies()
    let fewest = possible.first ?? 1
    guard fewest > 1, possible.count == 1 else {
      return pass(pending, oneOf: fewest, orOneOf: possible.last ?? eraDivisor)
    }
    lastCopies = fewest
    return pass(pending, oneOf: fewest)
  }

  /// One of each `count` is a notification.
  ///
  /// - Parameter most: There may be so many copies of each, 0 for any number; then what is one only with
  ///   fewer is in doubt.
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

/// When something was received, on both clocks, and where it stands among what bluetoothd sends.
struct Receipt: Hashable, Sendable {
  var boot: BootTime
  var time: ReceiptTime
  /// `nil` for what did not come with a message.
  var place: SenderPlace?
}

func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
  var (divisor, rest) = (first, second)
  while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
  return divisor
}
