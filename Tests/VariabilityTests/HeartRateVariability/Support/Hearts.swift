import HeartRateVariability

/// Recordings for tests.
enum Hearts {
  /// Returns random but plausible intervals, up to more than a day, in whole ticks.
  static func ticks(_ count: Int, seed: UInt64) -> [UInt16] {
    var noise = Noise(seed: seed)
    var drift = 0.0
    return (0..<count).map { _ in
      drift = 0.98 * drift + 12 * noise.normal()
      return UInt16(min(max(870 + drift + 15 * noise.normal(), 450), 1800))
    }
  }

  static func recording(_ segments: [RRSegment?], _ cleaning: Cleaning = .usual) -> MarkedRecording {
    cleaning.mark(segments.compactMap(\.self))
  }

  static func recording(_ intervals: [Double], start: Double = 0, _ cleaning: Cleaning = .usual)
    -> MarkedRecording
  {
    recording([RRSegment(start: start, intervals: intervals)], cleaning)
  }
}

/// Returns the reason for which a measure could not be computed.
func refusal(_ body: () throws(MeasureError) -> some Any) -> MeasureError.Reason? {
  do throws(MeasureError) {
    _ = try body()
    return nil
  } catch {
    return error.reason
  }
}
