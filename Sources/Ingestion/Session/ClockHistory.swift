package import Bluetooth
package import HealthStorage

/// The settings of the wall clock while a gateway was running. A new setting shows whether earlier ones were
/// wrong.
///
/// The latest setting is assumed to be right. Within the same boot, an earlier setting with a later origin
/// (the wall time at boot) was ahead. A setting with an earlier origin was behind if the clock now returns to
/// a setting from before it; otherwise the machine may have been paused, and the earlier setting counts as
/// right. Samples with times of a wrong setting keep their times and are marked. Gaps, and the times at which
/// monitors were last seen, are corrected.
package struct ClockHistory: Sendable {
  private var settings: [ClockSettingRecord]
  private var highest: Int64

  package init(_ settings: [ClockSettingRecord] = []) {
    self.settings = settings
    highest = settings.last?.id ?? 0
  }

  /// The start of the previous run if that run was killed; otherwise `nil`. Later changes of the clock
  /// correct it.
  package var killedRun: ReceiptTime? {
    guard let last = settings.last, last.end == nil else { return nil }
    return ReceiptTime(microsecondsSince1970: last.run)
  }

  /// The latest known time of earlier runs, even of runs without monitors.
  package var latest: ReceiptTime? {
    settings.last.map { ReceiptTime(microsecondsSince1970: max($0.end ?? $0.run, $0.start)) }
  }

  /// Converts a time of an earlier run to the current setting of the clock. Returns it unchanged if the
  /// machine was rebooted since then.
  package func time(_ time: ReceiptTime, by setting: ClockSetting) -> ReceiptTime {
    guard let last = settings.last, last.boot == setting.boot else { return time }
    let ahead = Self.ahead(last, of: setting)
    return ReceiptTime(microsecondsSince1970: time.microsecondsSince1970 - ahead)
  }

  /// Returns the origins of earlier settings of the same boot that are at most a few seconds later than the
  /// origin of `setting`. New receipt times must not be earlier than those of such an earlier setting.
  package func agreeing(with setting: ClockSetting) -> [ReceiptTime] {
    let origin = setting.origin.microsecondsSince1970
    return settings.filter {
      $0.boot == setting.boot && (0...ReceiptClock.leastSetting).contains($0.origin - origin)
    }.map { ReceiptTime(microsecondsSince1970: $0.origin) }
  }

  /// Starts a run.
  ///
  /// - Parameters:
  ///   - now: The current receipt time.
  ///   - wall: The current time of the wall clock.
  ///   - latest: The latest known time of earlier runs.
  package mutating func begin(
    _ setting: ClockSetting, at now: ReceiptTime, wall: ReceiptTime, latest: ReceiptTime?
  ) -> ClockChangesRecord {
    guard var last = settings.last else { return set(setting, at: now) }
    if last.boot != setting.boot {
      if let latest, latest.microseconds(since: wall) > ReceiptClock.leastSetting {
        // It is unknown how long the machine was off, but the current time cannot be before the latest known
        // time.
        last.boot = setting.boot
        last.end = max(last.start, latest.microsecondsSince1970)
        last.origin =
          setting.origin.microsecondsSince1970 + max(0, latest.microseconds(since: now))
        last.isAtLeast = true
        settings[settings.count - 1] = last
      }
      return set(setting, at: now)
    }
    let moved = abs(last.origin - setting.origin.microsecondsSince1970)
    guard moved <= ReceiptClock.leastSetting else { return set(setting, at: now) }
    last.run = now.microsecondsSince1970
    last.end = nil
    settings[settings.count - 1] = last
    return ClockChangesRecord(settings: [last])
  }

  /// Records a change of the wall clock.
  ///
  /// - Parameter now: The current time in the new setting.
  package mutating func set(_ setting: ClockSetting, at now: ReceiptTime) -> ClockChangesRecord {
    var changes = ClockChangesRecord()
    let time = now.microsecondsSince1970
    if let last = settings.indices.last {
      let end = time - setting.origin.microsecondsSince1970 + settings[last].origin
      settings[last].end = max(settings[last].start, settings[last].end ?? end)
      changes.settings.append(settings[last])
    }
    let same = settings.indices.filter { settings[$0].boot == setting.boot }
    let origin = setting.origin.microsecondsSince1970
    // If the clock returns to an earlier setting, settings in between with an earlier origin were behind.
    let confirmed = same.first { abs(settings[$0].origin - origin) <= ReceiptClock.leastSetting }
    for index in same {
      let isBehind = confirmed.map { $0 < index } ?? false
      if let correction = correct(&settings[index], by: setting, isBehind: isBehind) {
        changes.corrections.append(correction)
        changes.settings.removeAll { $0.id == settings[index].id }
        changes.settings.append(settings[index])
      }
    }
    // A time that is moved forward may collide with a time of a later setting, so correct the latest settings
    // first.
    let forward = changes.corrections.filter { $0.shift < 0 }.reversed()
    changes.corrections = forward + changes.corrections.filter { $0.shift >= 0 }
    changes.forgotten = settings.filter { $0.boot != setting.boot && $0.ahead == 0 }.map(\.id)
    settings.removeAll { changes.forgotten.contains($0.id) }
    changes.settings.removeAll { changes.forgotten.contains($0.id) }
    highest += 1
    let new = ClockSettingRecord(
      id: highest, boot: setting.boot, origin: setting.origin.microsecondsSince1970, start: time)
    settings.append(new)
    changes.settings.append(new)
    return changes
  }

  /// Records the normal end of a run.
  package mutating func end(at now: ReceiptTime) -> ClockChangesRecord? {
    guard let last = settings.indices.last else { return nil }
    settings[last].end = max(settings[last].start, now.microsecondsSince1970)
    return ClockChangesRecord(settings: [settings[last]])
  }

  private func correct(
    _ old: inout ClockSettingRecord, by setting: ClockSetting, isBehind: Bool
  ) -> ClockCorrectionRecord? {
    let difference = old.origin - setting.origin.microsecondsSince1970
    let isFarBehind = isBehind && difference < -ReceiptClock.leastSetting
    let ahead = isFarBehind ? difference : Self.ahead(old, of: setting)
    // A setting that was marked as wrong is unmarked if the new setting agrees with it, unless the new
    // setting is itself ahead. A setting that was marked because time seemed to go backward after a reboot is
    // unmarked as soon as this is no longer the case.
    let isAgreed =
      difference <= ReceiptClock.leastSetting
      && (old.isAtLeast || difference >= -ReceiptClock.leastSetting)
    guard abs(ahead - old.ahead) > ReceiptClock.leastSetting, ahead != 0 || isAgreed else { return nil }
    let start = old.start - old.ahead
    let times = start...max(start, (old.end ?? old.start) - old.ahead)
    let shift = ahead - old.ahead
    old.ahead = ahead
    return ClockCorrectionRecord(setting: old.id, ahead: ahead, times: times, shift: shift)
  }

  /// Returns the number of microseconds by which an earlier setting was ahead of another; 0 if the difference
  /// is negligible.
  private static func ahead(_ old: ClockSettingRecord, of setting: ClockSetting) -> Int64 {
    let ahead = old.origin - setting.origin.microsecondsSince1970
    return ahead > ReceiptClock.leastSetting ? ahead : 0
  }
}

/// The setting of the wall clock at the start of a run, and the earlier settings.
package struct ClockBeginning: Sendable {
  package var history: ClockHistory
  package var setting: ClockSetting
  /// The current receipt time.
  package var now: ReceiptTime
  /// The current time of the wall clock. It is earlier than ``now`` if the wall clock is behind the times of
  /// earlier runs.
  package var wall: ReceiptTime
  /// The latest known time of earlier runs.
  package var latest: ReceiptTime?

  package init(
    history: ClockHistory, setting: ClockSetting, now: ReceiptTime, wall: ReceiptTime, latest: ReceiptTime?
  ) {
    self.history = history
    self.setting = setting
    self.now = now
    self.wall = wall
    self.latest = latest
  }
}

extension ClockChangesRecord {
  /// Returns a time after applying each correction whose time range contains it.
  func corrected(_ time: ReceiptTime) -> ReceiptTime {
    for correction in corrections where correction.times.contains(time.microsecondsSince1970) {
      return ReceiptTime(microsecondsSince1970: correction.corrected(time.microsecondsSince1970))
    }
    return time
  }
}
