package import Bluetooth
package import HealthStorage

/// To what the wall clock was set while the gateway ran, and what that says of earlier times.
///
/// The latest setting is taken to be right: by it, a setting of the same start of the machine whose origin
/// lies later was ahead. One whose origin lies earlier was behind if the latest setting agrees with one
/// before it; otherwise the machine may have been paused, and its times were right. What was measured under
/// it keeps the times it was given, and is marked; gaps, and when monitors were last heard, are moved to the
/// right time.
package struct ClockHistory: Sendable {
  private var settings: [ClockSettingRecord]
  private var highest: Int64

  package init(_ settings: [ClockSettingRecord] = []) {
    self.settings = settings
    highest = settings.last?.id ?? 0
  }

  /// When the last run began, where it was killed, as is known by now.
  package var killedRun: ReceiptTime? {
    guard let last = settings.last, last.end == nil else { return nil }
    return ReceiptTime(microsecondsSince1970: last.run)
  }

  /// The latest time that is known of earlier runs, whatever became of their monitors.
  package var latest: ReceiptTime? {
    settings.last.map { ReceiptTime(microsecondsSince1970: max($0.end ?? $0.run, $0.start)) }
  }

  /// A time of an earlier run, by what wall time is set to now; as it is, where the machine was started anew.
  package func time(_ time: ReceiptTime, by setting: ClockSetting) -> ReceiptTime {
    guard let last = settings.last, last.boot == setting.boot else { return time }
    let ahead = Self.ahead(last, of: setting)
    return ReceiptTime(microsecondsSince1970: time.microsecondsSince1970 - ahead)
  }

  /// Earlier settings of the same start of the machine that wall time has come back to a little less than:
  /// what was timed by one of them is not to seem later than what follows.
  package func agreeing(with setting: ClockSetting) -> [ReceiptTime] {
    let origin = setting.origin.microsecondsSince1970
    return settings.filter {
      $0.boot == setting.boot && (0...ReceiptClock.leastSetting).contains($0.origin - origin)
    }.map { ReceiptTime(microsecondsSince1970: $0.origin) }
  }

  /// A run begins.
  ///
  /// - Parameters:
  ///   - now: The time by the setting.
  ///   - wall: What the wall clock shows.
  ///   - latest: The latest time that is known from earlier runs.
  package mutating func begin(
    _ setting: ClockSetting, at now: ReceiptTime, wall: ReceiptTime, latest: ReceiptTime?
  ) -> ClockChangesRecord {
    guard var last = settings.last else { return set(setting, at: now) }
    if last.boot != setting.boot {
      if let latest, latest.microseconds(since: wall) > ReceiptClock.leastSetting {
        // How long the machine was off is not known, but time has not gone back.
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

  /// Wall time was set, and the time now is `now` by the new setting.
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
    // If wall time comes back to an earlier setting, those between them that showed less were behind.
    let confirmed = same.first { abs(settings[$0].origin - origin) <= ReceiptClock.leastSetting }
    for index in same {
      let isBehind = confirmed.map { $0 < index } ?? false
      if let correction = correct(&settings[index], by: setting, isBehind: isBehind) {
        changes.corrections.append(correction)
        changes.settings.removeAll { $0.id == settings[index].id }
        changes.settings.append(settings[index])
      }
    }
    // Times that are moved forward land where those of earlier settings were: the latest first.
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

  /// The run ends in good order.
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
    // A mark is taken back by a setting that agrees with the marked one, and not by one that is ahead itself.
    // One that was made because time seemed to have gone back, by any that does not have it go back.
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

  /// By how much a setting was ahead of another; 0 for less than counts.
  private static func ahead(_ old: ClockSettingRecord, of setting: ClockSetting) -> Int64 {
    let ahead = old.origin - setting.origin.microsecondsSince1970
    return ahead > ReceiptClock.leastSetting ? ahead : 0
  }
}

/// What a run knows of the clock when it begins.
package struct ClockBeginning: Sendable {
  package var history: ClockHistory
  package var setting: ClockSetting
  /// The time by the setting.
  package var now: ReceiptTime
  /// What the wall clock shows: less than that where it is not believed yet.
  package var wall: ReceiptTime
  /// The latest time that is known from earlier runs.
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
  /// A time that a session remembers, as it is known by now.
  func corrected(_ time: ReceiptTime) -> ReceiptTime {
    for correction in corrections where correction.times.contains(time.microsecondsSince1970) {
      return ReceiptTime(microsecondsSince1970: correction.corrected(time.microsecondsSince1970))
    }
    return time
  }
}
