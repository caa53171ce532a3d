/// Computes receipt times from CLOCK_BOOTTIME. They follow the wall clock, but go backward only if the wall
/// clock was wrong.
///
/// A receipt time is an offset plus CLOCK_BOOTTIME. Wall time alone is unsuitable: a time daemon's small
/// corrections would put new measurements before older ones. CLOCK_MONOTONIC is unsuitable too: it stops
/// while the machine is suspended, so each suspend would look like a step of the wall clock.
///
/// Each time the receipt clock is read together with the wall clock, the offset is corrected:
/// - A difference of up to half a second: slowly, by at most 500 parts per million. Time daemons correct the
///   wall clock at the same rate, and the error of the intervals is far less than the precision of the
///   measurements.
/// - A step forward: at once, and the step is reported. No measurement has a time in the skipped interval. A
///   machine that boots in 1970 has the right time from the first measurement after its clock is set.
/// - A step back of at most ``leastSetting``: receipt time runs 1 % slow until wall time has caught up, which
///   takes less than ten minutes. Until then, the intervals between measurements are at most 1 % off.
/// - A larger step back: at once, and the step is reported, because the wall clock was wrong before. After a
///   step of a day, a slow correction would keep all times wrong for months.
public struct ReceiptClock: Hashable, Sendable {
  /// A receipt time, and the step of the clock that was detected when it was read.
  public struct Reading: Hashable, Sendable {
    public var time: ReceiptTime
    /// By how much receipt time was stepped since the previous reading (positive: forward); `nil` if it was
    /// not.
    public var step: Duration?
  }

  /// Size of a step back, in microseconds, above which it is applied at once. Smaller ones are corrected
  /// slowly.
  public static let leastSetting: Int64 = 5_000_000
  /// Time since boot, in nanoseconds, after which the wall clock is trusted. A machine without a hardware
  /// clock boots with an old time, but has set its clock by then.
  static let settlingTime: UInt64 = 600_000_000_000
  private static let farthestFloor: Int64 = 86_400_000_000
  /// 2025-01-01. A wall clock that shows an earlier time was never set, because this program is newer.
  public static let leastPlausible = ReceiptTime(microsecondsSince1970: 1_735_689_600_000_000)
  /// Difference between wall time and receipt time, in microseconds, above which it counts as a step of the
  /// clock. Smaller differences are corrected slowly.
  static let leastStep: Int64 = 500_000
  /// Time in nanoseconds for which the offset changes by at most one microsecond: 500 parts per million.
  private static let slew: UInt64 = 2_000_000
  /// Time in nanoseconds for which the offset changes by at most one microsecond after a small step back: 1
  /// %.
  private static let slowdown: UInt64 = 100_000

  /// Receipt time minus boot time, in microseconds.
  private var offset: Int64
  /// Wall time minus receipt time at the last comparison, in microseconds.
  private var difference: Int64 = 0
  /// The boot time up to which corrections were computed.
  private var moved: UInt64
  private var isCatchingUp = false
  /// The boot time from which the wall clock is trusted, even if it is much earlier than the last receipt
  /// time of an earlier run. 0 if it is always trusted.
  private var trustsWallFrom: UInt64 = 0
  private var latest: ReceiptTime?
  /// The offsets before the last large steps forward. A wall clock that was wrongly set forward will be set
  /// back to one of them.
  private var earlier: [Int64] = []

  /// - Parameters:
  ///   - boottimeNanoseconds: CLOCK_BOOTTIME.
  ///   - wall: Wall time at the same moment.
  ///   - floor: The last receipt time of an earlier run, in the current setting of the wall clock. Receipt
  ///     times do not start before it. A floor far ahead of the wall clock was wrong and is ignored. Just
  ///     after boot, the wall clock may be wrong instead, so a floor up to a day ahead is used. If the wall
  ///     clock was never set, any floor is used until it is set.
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

  /// Corrects the offset with the current wall time, and returns the receipt time of data that was received
  /// at the given CLOCK_BOOTTIME.
  ///
  /// A receipt time is earlier than the previous one only if a step is reported.
  ///
  /// - Parameters:
  ///   - boottimeNanoseconds: The CLOCK_BOOTTIME at which the data was received.
  ///   - wallNow: Wall time now.
  ///   - boottimeNow: CLOCK_BOOTTIME now.
  public mutating func receiptTime(
    boottimeNanoseconds: UInt64, wallNow: ReceiptTime, boottimeNow: UInt64
  ) -> Reading {
    let step = follow(wallNow, boottimeNow)
    return Reading(time: receiptTime(boottimeNanoseconds: boottimeNanoseconds), step: step)
  }

  /// Returns the receipt time of data without reading the wall clock, so no step is detected. Call it soon
  /// after the method that compares the clocks.
  ///
  /// - Parameter boottimeNanoseconds: The CLOCK_BOOTTIME at which the data was received.
  public mutating func receiptTime(boottimeNanoseconds: UInt64) -> ReceiptTime {
    let time = ReceiptTime(
      microsecondsSince1970: offset.addingClamped(Self.microseconds(boottimeNanoseconds)))
    let reading = max(time, latest ?? time)
    latest = reading
    return reading
  }

  /// Corrects the offset by the difference between wall time and receipt time.
  ///
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

  /// Steps back to wall time, or to an earlier offset if that is slightly later than wall time. With that
  /// offset, new receipt times are later than the ones computed with it before.
  private mutating func setBack(_ boottime: UInt64) -> Duration {
    let wall = offset.addingClamped(difference)
    let tie = earlier.filter { $0 > wall && $0 <= wall.addingClamped(Self.leastSetting) }.max() ?? wall
    latest = nil
    return move(by: tie.subtractingClamped(offset), at: boottime)
  }

  /// Changes the offset at once.
  private mutating func move(by step: Int64, at boottime: UInt64) -> Duration {
    offset = offset.addingClamped(step)
    difference = difference.subtractingClamped(step)
    isCatchingUp = difference < 0
    moved = boottime
    return .microseconds(step)
  }

  /// Moves the offset toward wall time, as far as the limit for the elapsed time allows.
  private mutating func move(until boottime: UInt64) {
    guard boottime > moved else { return }
    let pace = isCatchingUp ? Self.slowdown : Self.slew
    let allowed = Int64((boottime - moved) / pace)
    let distance = Int64(clamping: difference.magnitude)
    let distanceMoved = min(distance, allowed)
    // Carry over the remainder of less than a microsecond to the next call.
    moved = distance <= allowed ? boottime : moved + UInt64(allowed) * pace
    let signed = difference < 0 ? -distanceMoved : distanceMoved
    offset = offset.addingClamped(signed)
    difference -= signed
  }

  private static func microseconds(_ nanoseconds: UInt64) -> Int64 { Int64(nanoseconds / 1000) }
}

extension Int64 {
  /// Returns the sum, clamped on overflow, so that a wrong clock cannot crash the program.
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
