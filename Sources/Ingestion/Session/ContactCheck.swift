import Bluetooth

/// Detects straps that report "no contact" during a whole connection although they measure heartbeats. A
/// strap that is not worn does not send RR intervals.
struct ContactCheck {
  /// Number of plausible measurements without contact from which an ended connection is suspicious.
  static let leastOfEndedLink = 20
  /// Number of plausible measurements without contact from which an open connection is suspicious. It is
  /// greater, because the strap may still report contact.
  static let leastOfOpenLink = 120

  private var hadContact = false
  private var current = 0
  private var earlier = 0

  /// The number of plausible measurements in connections during which the strap never reported contact.
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
