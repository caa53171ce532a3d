import Foundation

/// To what the wall clock of this machine is set.
///
/// Within one start of the machine two settings tell exactly how far the clock was moved between them: by the
/// difference of their origins.
public struct ClockSetting: Hashable, Sendable {
  /// Tells this start of the machine from any other: the kernel's boot id.
  public var boot: String
  /// What wall time was, by this setting, when CLOCK_BOOTTIME stood at 0.
  public var origin: ReceiptTime

  public init(boot: String, origin: ReceiptTime) {
    self.boot = boot
    self.origin = origin
  }

  /// This start of the machine. Where the kernel does not say, each program's run is taken for one.
  public static let thisBoot: String = {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? UUID().uuidString
  }()
}

extension ReceiptClock {
  /// The setting of the wall clock that receipt times are told by now.
  public var setting: ClockSetting { ClockSetting(boot: ClockSetting.thisBoot, origin: origin) }
}
