import Bluetooth

/// Detects straps that report "no contact" during a whole link although they measure a heart. A strap that
/// is not worn sends no intervals.
struct ContactCheck {
  /// Minimum number of plausible measurements of a link that has ended.
  static let leastOfEndedLink = 20
  /// Minimum number of plausible measurements of an open link: the strap may still get contact.
  static let leastOfOpenLink = 120

  private var hadContact = false
  private var current = 0
  private var earlier = 0

  /// The number of plausible measurements of links during which the strap never had contact.
  var suspects: Int { earlier + (current >= Self.leastOfOpenLink ? current : 0) }

  mutating func receive(_ measurement: HeartRateMeasurement) {
    guard measurement.sensorContact == .notDetected else {
      hadContact = true
      current = 0
      return
    }
    if !hadContact, Plausibility.isMeasured(measurement) { current += 1 }
  }

  mutating func endLink() {
    if current >= Self.leastOfEndedLink { earlier += current }
    (current, hadContact) = (0, false)
  }
}
