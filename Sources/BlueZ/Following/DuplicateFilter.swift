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
///   between. Equal values with consecutive numbers are a *run*, and its length is a multiple of the number
///   of subscribers. An answer of bluetoothd, to a ping that was sent after the run began, ends the run.
/// - Nobody subscribes or leaves without a message of bluetoothd to somebody else: the answer to StartNotify
///   or StopNotify, a rule for the client's name given to the bus or taken back. It is a number that does not
///   come to us. So between two such jumps the number of subscribers does not change; that is an *era*.
///
/// In an era one run of one value proves that we are alone: everything in it is a measurement, and nothing is
/// dropped or held back. Where all runs are longer, the extra values are held until there is evidence:
/// - the runs have more values than the monitor can have measured in the time, by the pace of the last four
///   measurements, which came regularly; or
/// - several runs have a common divisor: two with RR intervals, which two measurements in a row do not share,
///   or two where somebody else had subscribed before us, or five of any kind, apart from each other.
/// Then one of each so many is a measurement, and the others are dropped and counted. Without evidence the
/// values are handed on, those in doubt marked as ``FrameMarks/mayBeCopy``.
struct DuplicateFilter {
  struct Value: Hashable {
    var bytes: [UInt8]
    var receipt: Receipt

    /// Two measurements of this kind are not alike by chance (Heart Rate Service 1.0, §3.1.1.1: bit 4, RR
    /// intervals).
    var isDistinctive: Bool { bytes.count > 3 && bytes[0] & 0x10 != 0 }

    /// bluetoothd sent it right after an equal one.
    fileprivate func continues(_ other: Value) -> Bool {
      guard let place = receipt.place, let otherPlace = other.receipt.place else { return false }
      return place.comesRightAfter(otherPlace) && bytes == other.bytes
    }

    fileprivate func isInEra(of other: Value) -> Bool {
      receipt.place != nil && receipt.place?.unseen == other.receipt.place?.unseen
    }
  }

  /// A value that is handed on.
  struct Passed: Hashable {
    var value: Value
    var mayBeCopy = false
  }

  /// Equal values that bluetoothd sent back to back. It has ended, and what it holds is not decided.
  fileprivate struct Run {
    var values: [Value]
    /// The first was handed on when it came.
    let isFirstPassed: Bool
    /// It came at another time than the run before: not from the same queue.
    let isApart: Bool

    var count: Int { values.count }
    func isInEra(of other: Run) -> Bool { values[0].isInEra(of: other.values[0]) }
  }

  /// How long an undecided value is held. Five runs of a monitor that measures once a second are decided
  /// within it.
  static let patience = Duration.seconds(8)
  /// A longer run is not held: it is decided about, or handed on.
  static let longestRun = 1024
  /// Runs closer together may be one queue that was worked off.
  private static let apart = Duration.milliseconds(50)
  private static let enoughRuns = 5
  private static let enoughStrongRuns = 2

  /// Somebody else had subscribed before us.
  var expectsOthers = false
  /// How often each notification is signalled in this era; `nil` where that is not known.
  private(set) var copies: Int?
  /// The same where it was known last.
  private var lastCopies: Int?
  /// A divisor of all runs of this era; 0 before the first.
  private var eraDivisor = 0
  private var last: Value?
  /// The run that may go on. Of one without copies only the last value.
  private var run: [Value] = []
  private var isFirstPassed = false
  private var isApart = true
  private var isSeparated = false
  private var pending: [Run] = []
  private var pace = MeasuringPace()
  private var dropped = 0

  /// An answer of bluetoothd, asked for now, would show where the run ends, and that matters.
  var wantsSeparator: Bool { !run.isEmpty && copies != 1 && !isSeparated }

  /// bluetoothd was asked for an answer, after the last value had come.
  mutating func noteSeparator() { isSeparated = true }

  /// Takes one signalled value.
  ///
  /// - Returns: What is a notification of its own, oldest first.
  mutating func receive(_ value: Value) -> [Passed] {
    defer { last = value }
    guard let last, value.continues(last) else {
      let before = endRun()
      let settled = last.map { value.isInEra(of: $0) } ?? true ? [] : beginEra()
      return before + settled + beginRun(value)
    }
    return run.isEmpty ? beginRun(value) : extendRun(value)
  }

  /// How many copies were dropped since the last call.
  mutating func takeDropped() -> Int {
    defer { dropped = 0 }
    return dropped
  }

  /// How often the monitor measures; `nil` where that is not known.
  var period: Duration? { pace.period }

  /// When ``flush(at:)`` has something to do.
  var deadline: BootTime? {
    let held = pending.first?.values.first ?? (copies == nil && run.count > 1 ? run[1] : nil)
    return held.map { $0.receipt.boot + Self.patience }
  }

  /// Decides about what is held, once its time has come.
  mutating func flush(at now: BootTime) -> [Passed] {
    guard let deadline, deadline <= now else { return [] }
    return end()
  }

  /// Nothing is to be held any more: the link ended, or something is to be told that comes after all this.
  mutating func end() -> [Passed] {
    defer {
      run = []
      last = nil
    }
    if let copies {
      // Where signals were lost, the last group may be incomplete.
      dropped += run.count - (run.count + copies - 1) / copies
    } else if !run.isEmpty {
      pending.append(ended(run))
    }
    return beginEra() + settleAll()
  }

  // MARK: - Runs

  private mutating func beginRun(_ value: Value) -> [Passed] {
    isApart = last.map { value.receipt.boot - $0.receipt.boot >= Self.apart } ?? true
    run = [value]
    isSeparated = false
    // Nothing may overtake what is held.
    isFirstPassed = pending.isEmpty
    if copies != nil { pace.note(value.receipt.boot) }
    return isFirstPassed ? [Passed(value: value)] : []
  }

  private mutating func extendRun(_ value: Value) -> [Passed] {
    run.append(value)
    guard let copies else {
      if run.count < Self.longestRun { return [] }
      pending.append(ended(run))
      run = []
      return settleAll()
    }
    defer {
      if copies == 1 {
        run = [value]
      } else if run.count >= Self.longestRun, run.count % copies == 0 {
        dropped += run.count - run.count / copies
        run = []
      }
    }
    guard (run.count - 1) % copies == 0 else { return [] }
    pace.note(value.receipt.boot)
    return [Passed(value: value)]
  }

  /// Something else came after the run, so it is complete.
  private mutating func endRun() -> [Passed] {
    guard !run.isEmpty else { return [] }
    defer { run = [] }
    eraDivisor = greatestCommonDivisor(eraDivisor, run.count)
    guard let copies else {
      pending.append(ended(run))
      return decide()
    }
    var passed = run.indices.filter { $0.isMultiple(of: copies) }
    var late: [Int] = []
    if !run.count.isMultiple(of: copies) {
      // There are not as many subscribers as was thought.
      self.copies = eraDivisor
      late = run.indices.filter { $0.isMultiple(of: eraDivisor) && !$0.isMultiple(of: copies) }
      passed += late
    }
    dropped += run.count - passed.count
    return late.map { Passed(value: run[$0]) }
  }

  private func ended(_ values: [Value]) -> Run {
    Run(values: values, isFirstPassed: isFirstPassed, isApart: isApart)
  }

  // MARK: - Eras

  /// Somebody may have subscribed or left. What is held and was not decided by then is no better known later,
  /// except at the beginning: then a subscriber who talks a lot divides everything into eras.
  private mutating func beginEra() -> [Passed] {
    lastCopies = copies ?? lastCopies
    copies = nil
    eraDivisor = 0
    return lastCopies == nil ? [] : settleAll()
  }

  /// A run of this era is complete.
  private mutating func decide() -> [Passed] {
    guard let latest = pending.last else { return [] }
    if eraDivisor == 1 {
      // We are alone. What is held of earlier eras is judged by itself.
      let own = pending.filter { $0.isInEra(of: latest) }
      pending.removeLast(own.count)
      copies = 1
      return settleAll() + pass(own, oneOf: 1)
    }
    var passed: [Passed] = []
    while pending.commonDivisor == 1 { passed += settleFirstEra() }
    if let evident = evidentCopies() {
      copies = evident
      passed += pass(pending, oneOf: evident)
      pending = []
    }
    return passed
  }

  /// How many copies there are of each notification of all that is held; `nil` where it may be one.
  private func evidentCopies() -> Int? {
    let possible = pace.possibleCopies(of: pending.map(\.values), dividing: pending.commonDivisor)
    // What was so before needs less to be so again.
    let isEnoughByPace =
      possible.contains { $0 == lastCopies } || pending.count >= Self.enoughStrongRuns
    if let count = possible.first, count > 1, possible.count == 1, isEnoughByPace { return count }
    let strong = expectsOthers ? pending.count : pending.count { $0.values[0].isDistinctive }
    let isEnough = strong >= Self.enoughStrongRuns || pending.count(where: \.isApart) >= Self.enoughRuns
    return isEnough ? pending.commonDivisor : nil
  }

  private mutating func settleAll() -> [Passed] {
    var passed: [Passed] = []
    while !pending.isEmpty { passed += settleFirstEra() }
    return passed
  }

  /// No more will be known of the first era that is held. What the monitor cannot have measured is dropped;
  /// else what may be copies is handed on as that.
  private mutating func settleFirstEra() -> [Passed] {
    let first = pending.removeFirst()
    let others = pending.prefix { $0.isInEra(of: first) }
    pending.removeFirst(others.count)
    let runs = [first] + others
    let possible = pace.possibleCopies(of: runs.map(\.values), dividing: runs.commonDivisor)
    let fewest = possible.first ?? 1
    if fewest > 1 && possible.count == 1 {
      lastCopies = fewest
      return pass(runs, oneOf: fewest)
    }
    return pass(runs, oneOf: fewest, orOneOf: possible.last ?? runs.commonDivisor)
  }

  /// One of each `count` is a notification.
  ///
  /// - Parameter most: There may be so many copies of each; then what is one only with fewer is in doubt.
  private mutating func pass(_ runs: [Run], oneOf count: Int, orOneOf most: Int? = nil) -> [Passed] {
    var passed: [Passed] = []
    for run in runs {
      for (index, value) in run.values.enumerated() {
        guard index.isMultiple(of: count) else {
          dropped += 1
          continue
        }
        let isInDoubt = most.map { !index.isMultiple(of: $0) } ?? false
        // Too few rather than too many: then more seems possible than is, and nothing is dropped for it.
        if !isInDoubt { pace.note(value.receipt.boot) }
        if index > 0 || !run.isFirstPassed { passed.append(Passed(value: value, mayBeCopy: isInDoubt)) }
      }
    }
    return passed
  }
}

extension [DuplicateFilter.Run] {
  /// Of their lengths; 0 for none.
  fileprivate var commonDivisor: Int { map(\.count).reduce(0, greatestCommonDivisor) }
}

/// When something was received, on both clocks, and where it stands among what bluetoothd sends.
struct Receipt: Hashable, Sendable {
  var boot: BootTime
  var time: ReceiptTime
  /// `nil` for what did not come with a message.
  var place: SenderPlace?
}
