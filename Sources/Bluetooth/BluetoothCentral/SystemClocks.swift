import Glibc

/// The times of several clocks of this machine at the same moment.
public struct SystemClocks: Codable, Hashable, Sendable {
  /// CLOCK_BOOTTIME, which never goes backward and keeps running while the machine sleeps.
  public var boottimeNanoseconds: UInt64
  /// How long the machine has slept since it booted: CLOCK_BOOTTIME minus CLOCK_MONOTONIC.
  public var asleepNanoseconds: UInt64
  /// CLOCK_REALTIME: the time of day, which may be set.
  public var wall: ReceiptTime

  public init(boottimeNanoseconds: UInt64, asleepNanoseconds: UInt64 = 0, wall: ReceiptTime) {
    self.boottimeNanoseconds = boottimeNanoseconds
    self.asleepNanoseconds = asleepNanoseconds
    self.wall = wall
  }

  /// Reads the clocks. CLOCK_BOOTTIME is read before and after the others. If these two readings are too far
  /// apart, all clocks are read again.
  public static func now() -> SystemClocks {
    var closest: (clocks: SystemClocks, spread: UInt64)?
    for _ in 0..<4 {
      let before = nanoseconds(of: CLOCK_BOOTTIME)
      let wall = nanoseconds(of: CLOCK_REALTIME)
      let awake = nanoseconds(of: CLOCK_MONOTONIC)
      let spread = UInt64(max(0, nanoseconds(of: CLOCK_BOOTTIME) - before))
      if spread < closest?.spread ?? .max {
        let clocks = SystemClocks(
          boottimeNanoseconds: UInt64(max(0, before)) + spread / 2,
          asleepNanoseconds: UInt64(max(0, before - awake)),
          wall: ReceiptTime(microsecondsSince1970: wall / 1000))
        closest = (clocks, spread)
      }
      if spread < 50_000 { break }
    }
    return closest?.clocks
      ?? SystemClocks(boottimeNanoseconds: 0, wall: ReceiptTime(microsecondsSince1970: 0))
  }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
