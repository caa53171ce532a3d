import HealthStorage

/// The beats of a record of heart-rate variability: when each fell, by the clock of its day, and the heart
/// rate that it and the beat before it make.
enum BeatList {
  /// A beat that ends an interval.
  struct Entry: Equatable {
    /// Beats a minute.
    var rate: Double
    /// Microseconds since 1970.
    var time: Int64
  }

  /// A beat on its own.
  struct Beat: Hashable {
    /// Microseconds since 1970.
    var time: Int64
    var precededByGap = false
  }

  /// What a listed interval may be longer than its rate says before a beat between is missing.
  private static let tolerance = 1.25

  /// The beats of a list. Each entry tells of the beat before its own, too: that is there for the first, and
  /// after a gap.
  /// - Returns: nil for a list that is not in order of time.
  static func beats(_ entries: [Entry]) -> [Beat]? {
    var beats: [Beat] = []
    for entry in entries {
      let interval = interval(entry.rate)
      if let last = beats.last {
        guard entry.time > last.time else { return nil }
        let isGap = Double(entry.time - last.time) > Double(interval) * tolerance
        if isGap { beats.append(Beat(time: entry.time - interval, precededByGap: true)) }
      } else {
        beats.append(Beat(time: entry.time - interval))
      }
      beats.append(Beat(time: entry.time))
    }
    return beats
  }

  /// The entries that state some beats. Some beats cannot be stated: one alone, one after the other's gap.
  static func entries(_ beats: [Beat]) -> [Entry] {
    zip(beats, beats.dropFirst()).compactMap { before, beat in
      guard !beat.precededByGap, beat.time > before.time else { return nil }
      return Entry(rate: rate(beat.time - before.time), time: beat.time)
    }
  }

  private static func interval(_ rate: Double) -> Int64 { Int64((60e6 / rate).rounded()) }

  /// Whole, as Apple writes it, where that is the interval.
  private static func rate(_ interval: Int64) -> Double {
    let rate = 60e6 / Double(interval)
    let whole = rate.rounded()
    return whole >= 1 && Self.interval(whole) == interval ? whole : rate
  }

  // MARK: - Elements

  static let name = "HeartRateVariabilityMetadataList"
  static let entryName = "InstantaneousBeatsPerMinute"

  /// The entries of an element. They are in order of time, which is all that tells of a new day.
  /// - Parameters:
  ///   - start: of the record, in microseconds since 1970.
  ///   - end: of the record.
  ///   - zone: of the record, in seconds east of Greenwich.
  /// - Returns: nil if one cannot be read, or is half a day or more beyond the end.
  static func entries(in list: ExportElement, start: Int64, end: Int64, zone: Int) -> [Entry]? {
    var clock = EntryClock(start: start, end: end, zone: zone)
    var entries: [Entry] = []
    for child in list.children(named: entryName) {
      guard let rate = child["bpm"].flatMap(NumberText.parse), (1...1000).contains(rate),
        let time = child["time"].flatMap(ClockTime.parse).flatMap({ clock.time(at: $0) })
      else { return nil }
      entries.append(Entry(rate: rate, time: time))
    }
    return entries
  }

  /// Microseconds since midnight.
  static func timeOfDay(_ time: Int64, zone: Int) -> Int64 {
    let rest = (time + Int64(zone) * 1_000_000) % day
    return rest < 0 ? rest + day : rest
  }

  fileprivate static let day: Int64 = 86_400_000_000

  /// Whether the times of entries can be told from the times of day that they are stated by.
  static func areTold(_ entries: [Entry], start: Int64, end: Int64, zone: Int) -> Bool {
    var clock = EntryClock(start: start, end: end, zone: zone)
    return entries.allSatisfy { clock.time(at: timeOfDay($0.time, zone: zone)) == $0.time }
  }
}

/// Finds the day that a time of day is on.
private struct EntryClock {
  private let start: Int64
  private let end: Int64
  private var midnight: Int64
  private var last: Int64?

  init(start: Int64, end: Int64, zone: Int) {
    self.start = start
    self.end = end
    midnight = start - BeatList.timeOfDay(start, zone: zone)
  }

  /// - Returns: nil for what is too late for the record.
  mutating func time(at timeOfDay: Int64) -> Int64? {
    if let last {
      if midnight + timeOfDay < last { midnight += BeatList.day }
    } else if midnight + timeOfDay < start - BeatList.day / 2 {
      midnight += BeatList.day
    } else if midnight + timeOfDay >= start + BeatList.day / 2 {
      // A record's start is cut to the second: the first beat may be a little before it, and before midnight.
      midnight -= BeatList.day
    }
    let time = midnight + timeOfDay
    last = time
    return time < end + BeatList.day / 2 ? time : nil
  }
}
