internal import Glibc

/// CLOCK_BOOTTIME: monotonic, and counting while the machine sleeps.
///
/// `BluetoothCentral` reads it too. This module knows nothing of Bluetooth, and a target of its own for a
/// system call would cost more than these lines.
enum BootClock {
  static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
