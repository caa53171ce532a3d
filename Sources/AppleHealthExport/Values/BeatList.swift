import HealthStorage

/// The beats of a heart-rate variability record: for each its time of day, and the heart rate since the
/// previous beat.
enum BeatList {
  /// A beat that ends an interval.
  struct Entry: Equatable {
    /// Heart rate in beats per minute.
    var rate: Double
    /// Microseconds since 1970.
    var time: Int64
  }

  /// A single beat.
  struct Beat: Hashable {
    /// Microseconds since 1970.
    var time: Int64
    var precededByGap = false
  }

  /// Maximum ratio of a listed interval to the one implied by its rate. Above it, a beat is missing between
  /// them.
  private static let tolerance = 1.25

  /// Returns the beats of a list. Each entry implies the previous beat, which is added for the first entry
  /// and after a gap.
  ///
  /// - Returns: `nil` if the list is not in order of time.
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

  /// Returns the entries for beats. A single beat, and one between two gaps, cannot be expressed.
  static func entries(_ beats: [Beat]) -> [Entry] {
    zip(beats, beats.dropFirst()).compactMap { before, beat in
      guard !beat.precededByGap, beat.time > before.time else { return nil }
      return Entry(rate: rate(beat.time - before.time), time: beat.time)
    }
  }

  private static func interval(_ rate: Double) -> Int64 { Int64((60e6 / rate).rounded()) }

  /// Returns the rate, rounded as Apple writes it if it still gives the interval.
  private static func rate(_ interval: Int64) -> Double {
    let rate = 60e6 / Double(interval)
    let whole = rate.rounded()
    return whole >= 1 && Self.interval(whole) == interval ? whole : rate
  }

  // MARK: - Elements

  static let name = "HeartRateVariabilityMetadataList"
  static let entryName = "InstantaneousBeatsPerMinute"

  /// Returns the entries of an element in chronological order.
  ///
  /// - Parameters:
  ///   - hours: 12 or 24, the clock in which the times are written; `nil` to detect it.
  /// - Returns: `nil` if an entry cannot be read or does not fit the record.
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

  /// Returns whether the times of entries can be recovered from their times of day.
  static func areStated(_ entries: [Entry], in record: BeatClock.Record) -> Bool {
    let stated = entries.map { ClockTime(timeOfDay($0.time, zone: record.zone)) }
    return BeatClock.times(of: stated, in: record, hours: 24) == entries.map(\.time)
  }
}
