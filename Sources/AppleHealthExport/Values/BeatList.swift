import HealthStorage

/// The beats in a record of heart-rate variability. Each has a time of day and the heart rate since the
/// previous beat.
enum BeatList {
  /// An entry of the list: a beat, and the heart rate that corresponds to the interval before it.
  struct Entry: Equatable {
    /// The heart rate in beats per minute.
    var rate: Double
    /// The time of the beat in microseconds since 1970.
    var time: Int64
  }

  /// A heartbeat.
  struct Beat: Hashable {
    /// The time in microseconds since 1970.
    var time: Int64
    var precededByGap = false
  }

  /// Maximum ratio between the time since the previous entry and the interval that the heart rate implies. If
  /// it is greater, a beat is missing between the entries.
  private static let tolerance = 1.25

  /// Returns the beats of a list. The first entry, and each entry after a gap, results in two beats: its
  /// heart rate implies the time of the previous beat.
  ///
  /// - Returns: `nil` if the list is not in chronological order.
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

  /// Returns the list entries for beats. A beat without an interval on either side, such as one between two
  /// gaps, cannot be expressed.
  static func entries(_ beats: [Beat]) -> [Entry] {
    zip(beats, beats.dropFirst()).compactMap { before, beat in
      guard !beat.precededByGap, beat.time > before.time else { return nil }
      return Entry(rate: rate(beat.time - before.time), time: beat.time)
    }
  }

  private static func interval(_ rate: Double) -> Int64 { Int64((60e6 / rate).rounded()) }

  /// Returns the heart rate of an interval. It is a whole number, as in Apple's exports, if that converts
  /// back to the same interval.
  private static func rate(_ interval: Int64) -> Double {
    let rate = 60e6 / Double(interval)
    let whole = rate.rounded()
    return whole >= 1 && Self.interval(whole) == interval ? whole : rate
  }

  // MARK: - Elements

  static let name = "HeartRateVariabilityMetadataList"
  static let entryName = "InstantaneousBeatsPerMinute"

  /// Returns the entries of a beat list in chronological order.
  ///
  /// - Parameters:
  ///   - hours: 12 or 24, for the kind of clock that the times are written in; `nil` to detect it.
  /// - Returns: `nil` if an entry cannot be read, or if the times do not fit into the record.
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

  /// Returns the time of day in microseconds since midnight.
  static func timeOfDay(_ time: Int64, zone: Int) -> Int64 {
    let day = 24 * ClockTime.hourLength
    let rest = (time + Int64(zone) * 1_000_000) % day
    return rest < 0 ? rest + day : rest
  }

  /// Returns whether an import can determine the times of these entries if the export states only their times
  /// of day.
  static func areStated(_ entries: [Entry], in record: BeatClock.Record) -> Bool {
    let stated = entries.map { ClockTime(timeOfDay($0.time, zone: record.zone)) }
    return BeatClock.times(of: stated, in: record, hours: 24) == entries.map(\.time)
  }
}
