import HealthKit

/// A sample as a line of text.
enum HeartRateLine {
  static let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())

  static func text(_ sample: HKQuantitySample) -> String {
    // The name of a source is untrusted and may be long.
    let source = sample.sourceRevision.source.name.prefix(30)
    return "\(time(sample.startDate))  \(number(sample.quantity)) BPM  \(source)"
  }

  /// The time in the user's time zone: `2026-01-01 10:00:00`.
  static func time(_ date: Date) -> String {
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
    return date.formatted(style.year().month().day().time(includingFractionalSeconds: false))
  }

  /// Beats per minute without decimals, three characters wide.
  static func number(_ quantity: HKQuantity) -> String {
    let value = quantity.doubleValue(for: beatsPerMinute).rounded()
    // A source may have saved any value, and not every value fits.
    let digits = (0...999).contains(value) ? String(Int(value)) : "?"
    return String(repeating: " ", count: 3 - digits.count) + digits
  }
}
