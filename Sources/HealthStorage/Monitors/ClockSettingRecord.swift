/// A setting of the wall clock: the period from when a gateway noticed it until the clock was set again. All
/// times are microseconds since 1970.
package struct ClockSettingRecord: Hashable, Sendable {
  package var id: Int64
  /// The machine's boot ID.
  package var boot: String
  /// The time at which the machine booted, according to the clock in this setting.
  package var origin: Int64
  package var start: Int64
  /// The start of the gateway's last run with this setting.
  package var run: Int64
  /// The end of the gateway's last run with this setting; `nil` while that run lasts, or if the gateway was
  /// killed.
  package var end: Int64?
  /// The number of microseconds by which the clock was ahead, as known from later settings; negative if it
  /// was behind, 0 if it was right.
  package var ahead: Int64 = 0
  /// Whether the clock may have been even further ahead, because the machine was rebooted before its clock
  /// was set.
  package var isAtLeast = false

  package init(id: Int64, boot: String, origin: Int64, start: Int64) {
    self.id = id
    self.boot = boot
    self.origin = origin
    self.start = start
    run = start
  }
}

/// A correction of an earlier setting of the wall clock. When the clock is set again, the new setting shows
/// by how much the earlier one was wrong.
package struct ClockCorrectionRecord: Hashable, Sendable {
  package var setting: Int64
  /// The number of microseconds by which the earlier setting was ahead; negative if it was behind.
  package var ahead: Int64
  /// The stored times of gaps and monitors to correct: those in the period in which the earlier setting was
  /// valid.
  package var times: ClosedRange<Int64>
  /// The number of microseconds by which these times are moved back; negative to move them forward.
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

/// Changes to the stored settings of the wall clock.
package struct ClockChangesRecord: Hashable, Sendable {
  /// New and changed settings.
  package var settings: [ClockSettingRecord]
  /// Corrections of earlier settings, in the order of the settings.
  package var corrections: [ClockCorrectionRecord]
  /// The IDs of settings that are no longer needed.
  package var forgotten: [Int64]

  package init(
    settings: [ClockSettingRecord] = [], corrections: [ClockCorrectionRecord] = [], forgotten: [Int64] = []
  ) {
    self.settings = settings
    self.corrections = corrections
    self.forgotten = forgotten
  }
}
