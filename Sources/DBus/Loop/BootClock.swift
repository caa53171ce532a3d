internal import Glibc

/// CLOCK_BOOTTIME: monotonic, and counting while the machine sleeps.
enum BootClock {
  static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
