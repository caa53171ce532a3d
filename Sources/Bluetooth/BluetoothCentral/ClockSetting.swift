import Foundation

/// A setting of this machine's wall clock.
///
/// Between two settings of one boot, the clock was moved by exactly the difference of their origins.
public struct ClockSetting: Hashable, Sendable {
  /// The kernel's boot ID.
  public var boot: String
  /// The wall time, in this setting, at which CLOCK_BOOTTIME was 0.
  public var origin: ReceiptTime

  public init(boot: String, origin: ReceiptTime) {
    self.boot = boot
    self.origin = origin
  }

  /// The ID of this boot. If the kernel does not provide one, an ID of this process.
  public static let thisBoot: String = {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? UUID().uuidString
  }()
}

extension ReceiptClock {
  /// The current setting of the wall clock, in which receipt times are given.
  public var setting: ClockSetting { ClockSetting(boot: ClockSetting.thisBoot, origin: origin) }
}
