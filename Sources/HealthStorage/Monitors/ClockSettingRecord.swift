/// A period in which the wall clock was not set, as observed by the gateway. Samples are timed by such a
/// setting. Times are microseconds since 1970.
package struct ClockSettingRecord: Hashable, Sendable {
  package var id: Int64
  /// The boot ID of the machine.
  package var boot: String
  /// The wall time at which the machine's boot clock was 0.
  package var origin: Int64
  package var start: Int64
  /// The start of the gateway's last run in this period.
  package var run: Int64
  /// nil while that run lasts, and if it was killed.
  package var end: Int64?
  /// The amount by which its times were ahead, as found by later settings; negative if behind, 0 if correct.
  package var ahead: Int64 = 0
  /// Whether `ahead` is a minimum, because the machine was rebooted before its clock was set.
  package var isAtLeast = false

  package init(id: Int64, boot: String, origin: Int64, start: Int64) {
    self.id = id
    self.boot = boot
    self.origin = origin
    self.start = start
    run = start
  }
}

/// What a new setting revealed about an earlier one.
package struct ClockCorrectionRecord: Hashable, Sendable {
  package var setting: Int64
  /// The amount by which its times were ahead; negative if they were behind.
  package var ahead: Int64
  /// The period in which it was valid, in the times that its gaps and monitors have now.
  package var times: ClosedRange<Int64>
  /// The amount by which these times are moved back; negative to move them forward.
  package var shift: Int64

  package init(setting: Int64, ahead: Int64, times: ClosedRange<Int64>, shift: Int64) {
    self.setting = setting
    self.ahead = ahead
    self.times = times
    self.shift = shift
  }

  /// Returns the corrected time of a gap, or of the last contact with a monitor.
  package func corrected(_ time: Int64) -> Int64 { times.contains(time) ? time - shift : time }
}

/// Changes to the known settings of the wall clock.
package struct ClockChangesRecord: Hashable, Sendable {
  /// Settings that are new or modified.
  package var settings: [ClockSettingRecord]
  /// In the order in which the settings were valid.
  package var corrections: [ClockCorrectionRecord]
  /// IDs of settings that are no longer needed.
  package var forgotten: [Int64]

  package init(
    settings: [ClockSettingRecord] = [], corrections: [ClockCorrectionRecord] = [], forgotten: [Int64] = []
  ) {
    self.settings = settings
    self.corrections = corrections
    self.forgotten = forgotten
  }
}
