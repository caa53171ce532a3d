/// Converts CLOCK_BOOTTIME to wall time, so that receipt times go back only if the wall time was wrong.
///
/// A receipt time is an offset plus CLOCK_BOOTTIME. Wall time alone is not suitable: a time daemon's small
/// corrections would put new measurements before older ones. CLOCK_MONOTONIC is not suitable either: it stops
/// while the machine is suspended, so each suspend would look like a step of the wall clock.
///
/// Each time the clock is used with a current wall time, the offset follows it:
/// - A difference of up to half a second, as time daemons slew: at most 500 parts per million fast or slow.
///   That is their own slew rate, and far less than the precision of the measurements.
/// - A step forward: at once, and reported. The skipped time never existed, so nothing can overlap. A machine
///   that boots in 1970 and then learns the time is right from its first measurement after that.
/// - A step back of at most ``leastSetting``: by running 1 % slow until wall time has caught up, in less than
///   ten minutes. Intervals of seconds are still right within 1 %.
/// - A larger step back: at once, and reported. Wall time was wrong before. After a step of a day, slow
///   correction would keep all times wrong for months.
public struct ReceiptClock: Hashable, Sendable {
  /// A receipt time, with the step that its wall time revealed.
  public struct Reading: Hashable, Sendable {
    public var time: ReceiptTime
    /// How far receipt time was moved since the previous reading (positive: forward); `nil` if it was not.
    public var step: Duration?
  }

  /// A step back of more than this, in microseconds, counts as a new setting of the wall clock.
  public static let leastSetting: Int64 = 5_000_000
  /// Time since boot, in nanoseconds, after which wall time is trusted. A machine without a hardware clock
  /// boots with an old time, and has learned the right one by then.
  static let settlingTime: UInt64 = 600_000_000_000
  private static let farthestFloor: Int64 = 86_400_000_000
  /// 2025-01-01. A wall clock that shows an earlier time was never set, because this program is newer.
  public static let leastPlausible = ReceiptTime(microsecondsSince1970: 1_735_689_600_000_000)
  /// A difference of more than this, in microseconds, is a step.
  static let leastStep: Int64 = 500_000
  /// Nanoseconds per microsecond that the offset may move: 500 parts per million.
  private static let slew: UInt64 = 2_000_000
  /// The same while catching up: 1 %.
  private static let slowdown: UInt64 = 100_000

  /// Receipt time minus boot time, in microseconds.
  private var offset: Int64
  /// Wall time minus receipt time at the last comparison, in microseconds.
  private var difference: Int64 = 0
  /// The boot time up to which the offset has used its allowed movement.
  private var moved: UInt64
  private var isCatchingUp = false
  /// The boot time from which wall time is preferred to a floor that is far ahead of it.
  private var trustsWallFrom: UInt64 = 0
  private var latest: ReceiptTime?
  /// The offsets before the last large steps forward: wall time may return to one of them.
  private var earlier: [Int64] = []

  /// - Parameters:
  ///   - boottimeNanoseconds: CLOCK_BOOTTIME.
  ///   - wall: Wall time at the same moment.
  ///   - floor: The last receipt time of an earlier clock, in the current setting of the wall clock. Readings
  ///     are not earlier, unless the floor is so far ahead that it was wrong. Just after boot, wall time may
  ///     be wrong instead, so the floor holds for up to a day; if the wall clock was never set, it holds for
  ///     any distance until the clock is set.
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

  /// The receipt time at which CLOCK_BOOTTIME was 0.
  public var origin: ReceiptTime { ReceiptTime(microsecondsSince1970: offset) }

  /// Returns the receipt time of data received at a time of CLOCK_BOOTTIME, and follows the wall clock.
  ///
  /// Readings go back only with a reported step. Otherwise a reading is at least the previous one.
  ///
  /// - Parameters:
  ///   - boottimeNanoseconds: The CLOCK_BOOTTIME at which it was received.
  ///   - wallNow: Wall time now.
  ///   - boottimeNow: CLOCK_BOOTTIME now.
  public mutating func receiptTime(
    boottimeNanoseconds: UInt64, wallNow: ReceiptTime, boottimeNow: UInt64
  ) -> Reading {
    let step = follow(wallNow, boottimeNow)
    return Reading(time: receiptTime(boottimeNanoseconds: boottimeNanoseconds), step: step)
  }

  /// Returns the receipt time of data received soon after the last comparison with wall time. Does not
  /// compare again, so it reports no step.
  ///
  /// - Parameter boottimeNanoseconds: The CLOCK_BOOTTIME at which it was received.
  public mutating func receiptTime(boottimeNanoseconds: UInt64) -> ReceiptTime {
    let time = ReceiptTime(
      microsecondsSince1970: offset.addingClamped(Self.microseconds(boottimeNanoseconds)))
    let reading = max(time, latest ?? time)
    latest = reading
    return reading
  }

  /// - Returns: The step of the offset, if there was one.
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

  /// If wall time returns to a little less than an earlier offset, that offset is used again. Otherwise times
  /// from then would be later than the following ones.
  private mutating func setBack(_ boottime: UInt64) -> Duration {
    let wall = offset.addingClamped(difference)
    let tie = earlier.filter { $0 > wall && $0 <= wall.addingClamped(Self.leastSetting) }.max() ?? wall
    latest = nil
    return move(by: tie.subtractingClamped(offset), at: boottime)
  }

  /// Moves the offset at once.
  private mutating func move(by step: Int64, at boottime: UInt64) -> Duration {
    offset = offset.addingClamped(step)
    difference = difference.subtractingClamped(step)
    isCatchingUp = difference < 0
    moved = boottime
    return .microseconds(step)
  }

  /// Moves the offset towards wall time, as far as the elapsed time allows.
  private mutating func move(until boottime: UInt64) {
    guard boottime > moved else { return }
    let pace = isCatchingUp ? Self.slowdown : Self.slew
    let allowed = Int64((boottime - moved) / pace)
    let distance = Int64(clamping: difference.magnitude)
    let distanceMoved = min(distance, allowed)
    // Keep the rest of less than a microsecond for the next time.
    moved = distance <= allowed ? boottime : moved + UInt64(allowed) * pace
    let signed = difference < 0 ? -distanceMoved : distanceMoved
    offset = offset.addingClamped(signed)
    difference -= signed
  }

  private static func microseconds(_ nanoseconds: UInt64) -> Int64 { Int64(nanoseconds / 1000) }
}

extension Int64 {
  /// Saturates instead of trapping, so that a wrong clock cannot crash the program.
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
