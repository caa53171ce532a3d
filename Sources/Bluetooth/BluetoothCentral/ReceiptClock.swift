/// Ties the clock that only moves forward to wall time, so that receipt times go back only where wall time
/// was wrong.
///
/// A receipt time is the tie plus what CLOCK_BOOTTIME has moved since. Wall time alone will not do: a daemon
/// that corrects it by a little would put new measurements among older ones. CLOCK_MONOTONIC will not do
/// either: it stands still while the machine is suspended, and each suspend would look like a step of the
/// wall clock.
///
/// How the tie follows wall time, whenever whoever uses it has it look:
/// - a difference of up to half a second, which is what time daemons slew: at most 500 parts in a million
///   fast or slow, the rate at which they slew themselves and far less than anything that is measured here;
/// - a step forward: at once, and told. The time in between never was, so nothing can overlap, and a machine
///   that comes up in 1970 and learns the time is right from its first measurement after that;
/// - a step back by no more than ``leastSetting``: by running one part in a hundred slow until wall time has
///   caught up, in less than ten minutes. Intervals of seconds stay right within a hundredth;
/// - a step back by more: at once, and told. Wall time was wrong before. To follow it slowly would keep all
///   times wrong for months, where it was a day.
public struct ReceiptClock: Hashable, Sendable {
  /// A time, and what became known with it.
  public struct Reading: Hashable, Sendable {
    public var time: ReceiptTime
    /// How far receipt time was moved at once since the reading before: positive is forward.
    public var step: Duration?
  }

  /// More than this, in microseconds, is a new setting of the wall clock where it goes back.
  public static let leastSetting: Int64 = 5_000_000
  /// A machine without a clock of its own starts with an old time, and has learnt the right one by then. In
  /// nanoseconds since its start.
  static let settlingTime: UInt64 = 600_000_000_000
  private static let farthestFloor: Int64 = 86_400_000_000
  /// 2025-01-01. A clock that shows less was never set: this program is younger.
  public static let leastPlausible = ReceiptTime(microsecondsSince1970: 1_735_689_600_000_000)
  /// More than this is a step, in microseconds.
  static let leastStep: Int64 = 500_000
  /// For so many nanoseconds the tie moves by one microsecond: 500 parts in a million.
  private static let slew: UInt64 = 2_000_000
  /// One part in a hundred.
  private static let slowdown: UInt64 = 100_000

  /// Receipt time less boot time, in microseconds.
  private var offset: Int64
  /// Wall time less receipt time, when last looked at.
  private var difference: Int64 = 0
  /// The boot time up to which the tie has moved as far as it may.
  private var moved: UInt64
  private var isCatchingUp = false
  /// Until then wall time is not known to be better than a floor far ahead of it.
  private var trustsWallFrom: UInt64 = 0
  private var latest: ReceiptTime?
  /// The ties before the last great steps forward: wall time may come back to about where it was.
  private var earlier: [Int64] = []

  /// - Parameters:
  ///   - boottimeNanoseconds: CLOCK_BOOTTIME.
  ///   - wall: Wall time at the same moment.
  ///   - floor: The last receipt time of a clock before this one, by the setting of the wall clock that is
  ///     valid now. Readings do not precede it, unless it lies so far ahead that it was wrong. While the
  ///     machine has just started, wall time may be what is wrong, and the floor holds for any distance up to
  ///     a day; where the wall clock was never set, for any distance, and until it is.
  public init(boottimeNanoseconds: UInt64, wall: ReceiptTime, floor: ReceiptTime? = nil) {
    offset = wall.microsecondsSince1970.subtractingClamped(Self.microseconds(boottimeNanoseconds))
    moved = boottimeNanoseconds
    guard let floor else { return }
    let ahead = floor.microsecondsSince1970.subtractingClamped(wall.microsecondsSince1970)
    let isSet = wall >= Self.leastPlausible
    let farthest = boottimeNanoseconds < Self.settlingTime ? Self.farthestFloor : Self.leastSetting
    guard ahead > 0, ahead <= farthest || !isSet else { return }
    offset = offset.addingClamped(ahead)
    difference = -ahead
    isCatchingUp = true
    if ahead > Self.leastSetting { trustsWallFrom = isSet ? Self.settlingTime : .max }
  }

  /// What receipt time would have been when CLOCK_BOOTTIME stood at 0.
  public var origin: ReceiptTime { ReceiptTime(microsecondsSince1970: offset) }

  /// The receipt time of what was received at a time of CLOCK_BOOTTIME.
  ///
  /// Readings go back only with a step that is told; where one would otherwise, it is the one before.
  ///
  /// - Parameters:
  ///   - boottimeNanoseconds: When it was received.
  ///   - wallNow: Wall time now.
  ///   - boottimeNow: CLOCK_BOOTTIME now.
  public mutating func receiptTime(
    boottimeNanoseconds: UInt64, wallNow: ReceiptTime, boottimeNow: UInt64
  ) -> Reading {
    let step = follow(wallNow, boottimeNow)
    return Reading(time: receiptTime(boottimeNanoseconds: boottimeNanoseconds), step: step)
  }

  /// The receipt time of what was received soon after the clocks were read last: without a look at wall time,
  /// and so without knowledge of a step.
  ///
  /// - Parameter boottimeNanoseconds: When it was received.
  public mutating func receiptTime(boottimeNanoseconds: UInt64) -> ReceiptTime {
    let time = ReceiptTime(
      microsecondsSince1970: offset.addingClamped(Self.microseconds(boottimeNanoseconds)))
    let reading = max(time, latest ?? time)
    latest = reading
    return reading
  }

  /// - Returns: By how much the tie was moved at once.
  private mutating func follow(_ wall: ReceiptTime, _ boottime: UInt64) -> Duration? {
    difference = wall.microsecondsSince1970.subtractingClamped(
      offset.addingClamped(Self.microseconds(boottime)))
    if trustsWallFrom == .max, wall >= Self.leastPlausible { trustsWallFrom = Self.settlingTime }
    if difference < -Self.leastSetting, boottime >= trustsWallFrom { return setBack(boottime) }
    if difference > Self.leastStep { return setForward(boottime) }
    if difference < -Self.leastStep { isCatchingUp = true }
    move(until: boottime)
    if difference >= 0 { isCatchingUp = false }
    return nil
  }

  private mutating func setForward(_ boottime: UInt64) -> Duration {
    trustsWallFrom = 0
    if difference > Self.leastSetting { earlier = earlier.suffix(7) + [offset] }
    return move(by: difference, at: boottime)
  }

  /// Where wall time comes back to a little less than an earlier tie, that tie is valid again, or what was
  /// timed by it would seem to be later than what follows.
  private mutating func setBack(_ boottime: UInt64) -> Duration {
    let wall = offset.addingClamped(difference)
    let tie = earlier.filter { $0 > wall && $0 <= wall.addingClamped(Self.leastSetting) }.max() ?? wall
    latest = nil
    return move(by: tie.subtractingClamped(offset), at: boottime)
  }

  /// Moves the tie at once.
  private mutating func move(by step: Int64, at boottime: UInt64) -> Duration {
    offset = offset.addingClamped(step)
    difference = difference.subtractingClamped(step)
    isCatchingUp = difference < 0
    moved = boottime
    return .microseconds(step)
  }

  /// Moves the tie towards wall time, as far as the time that has passed allows.
  private mutating func move(until boottime: UInt64) {
    guard boottime > moved else { return }
    let pace = isCatchingUp ? Self.slowdown : Self.slew
    let allowed = Int64((boottime - moved) / pace)
    let distance = Int64(clamping: difference.magnitude)
    let distanceMoved = min(distance, allowed)
    // What is too little for a microsecond is kept for the next time.
    moved = distance <= allowed ? boottime : moved + UInt64(allowed) * pace
    let signed = difference < 0 ? -distanceMoved : distanceMoved
    offset = offset.addingClamped(signed)
    difference -= signed
  }

  private static func microseconds(_ nanoseconds: UInt64) -> Int64 { Int64(nanoseconds / 1000) }
}

extension Int64 {
  /// No clock shows such times, and no clock is to end the program.
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
