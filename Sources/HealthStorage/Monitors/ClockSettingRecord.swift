/// A setting of the wall clock that samples were timed by: for as long as the gateway saw it go on without
/// being set anew. Times are microseconds since 1970.
package struct ClockSettingRecord: Hashable, Sendable {
  package var id: Int64
  /// Which start of the machine.
  package var boot: String
  /// The wall time at which the machine's boot clock stood at 0.
  package var origin: Int64
  package var start: Int64
  /// When the last of the gateway's runs under it began.
  package var run: Int64
  /// nil while that run lasts, and where it was killed.
  package var end: Int64?
  /// By how much its times were ahead, as later settings showed; negative if they were behind; 0 if none did.
  package var ahead: Int64 = 0
  /// They were ahead by that at least: the machine was started anew before its clock was set.
  package var isAtLeast = false

  package init(id: Int64, boot: String, origin: Int64, start: Int64) {
    self.id = id
    self.boot = boot
    self.origin = origin
    self.start = start
    run = start
  }
}

/// What a new setting showed of an earlier one.
package struct ClockCorrectionRecord: Hashable, Sendable {
  package var setting: Int64
  /// By how much its times were ahead; negative if they were behind.
  package var ahead: Int64
  /// When it was valid, as is known by now of its gaps and of when its monitors were heard.
  package var times: ClosedRange<Int64>
  /// By how much these times are moved back; negative if they are moved forward.
  package var shift: Int64

  package init(setting: Int64, ahead: Int64, times: ClosedRange<Int64>, shift: Int64) {
    self.setting = setting
    self.ahead = ahead
    self.times = times
    self.shift = shift
  }

  /// A time of a gap, or of a monitor that was heard, as it is known by now.
  package func corrected(_ time: Int64) -> Int64 { times.contains(time) ? time - shift : time }
}

/// What became known of the settings of the wall clock.
package struct ClockChangesRecord: Hashable, Sendable {
  /// Those that are new or have changed.
  package var settings: [ClockSettingRecord]
  /// In the order in which the settings were valid.
  package var corrections: [ClockCorrectionRecord]
  /// Those that nothing depends on any more.
  package var forgotten: [Int64]

  package init(
    settings: [ClockSettingRecord] = [], corrections: [ClockCorrectionRecord] = [], forgotten: [Int64] = []
  ) {
    self.settings = settings
    self.corrections = corrections
    self.forgotten = forgotten
  }
}
