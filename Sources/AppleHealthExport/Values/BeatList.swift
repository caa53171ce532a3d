import HealthStorage

/// The beats of a record of heart-rate variability: the time of day of each, and the heart rate that follows
/// from it and the beat before it.
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

  /// Returns the entries of an element, in the order of time.
  ///
  /// - Parameters:
  ///   - hours: The length of the list's clock; `nil` to find out.
  /// - Returns: `nil` if one cannot be read, or does not fit the record.
  static func entries(in list: ExportElement, of record: BeatClock.Record, hours: Int64? = nil) -> [Entry]? {
    var rates: [Double] = []
    var times: [ClockTime] = []
    for child in list.children(named: entryName) {
      guard let rate = child["bpm"].flatMap(NumberText.parse), (1...1000).contains(rate),
        let time = child["time"].flatMap(ClockTime.init)
      else { return nil }
      rates.append(rate)
      times.append(time)
    }
    guard let times = BeatClock.times(of: times, in: record, hours: hours) else { return nil }
    return zip(rates, times).map { Entry(rate: $0, time: $1) }
  }

  /// Microseconds since midnight.
  static func timeOfDay(_ time: Int64, zone: Int) -> Int64 {
    let day = 24 * ClockTime.hourLength
    let rest = (time + Int64(zone) * 1_000_000) % day
    return rest < 0 ? rest + day : rest
  }

  /// Whether the times of entries follow from the times of day by which they are stated.
  static func areStated(_ entries: [Entry], in record: BeatClock.Record) -> Bool {
    let stated = entries.map { ClockTime(timeOfDay($0.time, zone: record.zone)) }
    return BeatClock.times(of: stated, in: record, hours: 24) == entries.map(\.time)
  }
}
