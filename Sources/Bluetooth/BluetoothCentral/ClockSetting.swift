import Foundation

/// Identifies a setting of this machine's wall clock.
///
/// If two settings have the same boot ID, the clock was changed between them by the difference of their
/// origins.
public struct ClockSetting: Hashable, Sendable {
  /// The kernel's boot ID.
  public var boot: String
  /// The time at which the machine booted (CLOCK_BOOTTIME 0), according to the clock in this setting.
  public var origin: ReceiptTime

  public init(boot: String, origin: ReceiptTime) {
    self.boot = boot
    self.origin = origin
  }

  /// The ID of this boot, or an ID of this process if the kernel does not provide one.
  public static let thisBoot: String = {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? UUID().uuidString
  }()
}

extension ReceiptClock {
  /// The current setting of the wall clock, in which receipt times are expressed.
  public var setting: ClockSetting { ClockSetting(boot: ClockSetting.thisBoot, origin: origin) }
}
