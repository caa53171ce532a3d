package import HeartRateVariability

/// The time in one zone of effort, as it is told in JSON.
package struct ZoneTime: Codable, Sendable {
  package var zone: Int
  /// Beats per minute; absent in zone 0.
  package var lower: Double?
  /// Absent in the last.
  package var upper: Double?
  package var seconds: Double

  /// - Returns: From zone 0 on.
  package static func all(
    of series: HeartRateSeries, in zones: HeartRateZones, during window: Window
  ) -> [ZoneTime] {
    series.time(in: zones, during: window).enumerated().map { zone, seconds in
      ZoneTime(
        zone: zone, lower: zone > 0 ? zones.bounds[zone - 1] : nil,
        upper: zone < zones.bounds.count ? zones.bounds[zone] : nil, seconds: seconds)
    }
  }
}
