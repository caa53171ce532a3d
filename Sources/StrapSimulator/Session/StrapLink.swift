import Bluetooth

/// The radio between one strap and the host: when what is sent arrives.
///
/// A peripheral may speak once in each connection interval; a packet that is lost comes again in the next.
struct StrapLink: Sendable {
  /// In units of 1.25 ms.
  static let interval: UInt16 = 36
  /// In units of 10 ms.
  static let supervisionTimeout: UInt16 = 300
  static let seconds = Double(interval) * 0.00125
  static let timeoutSeconds = Double(supervisionTimeout) * 0.01

  private static let lossProbability = 0.01

  private var random: SplitMix64
  private let anchor: Double
  private var last = 0.0

  init(random: SplitMix64) {
    self.random = random
    anchor = self.random.unit() * Self.seconds
  }

  /// When the host gets what is ready to be sent at `time`, in seconds; never before what was sent earlier.
  mutating func receipt(of time: Double) -> Double {
    var event = ((time - anchor) / Self.seconds).rounded(.up) * Self.seconds + anchor
    while random.unit() < Self.lossProbability { event += Self.seconds }
    let latency = random.uniform(in: 0.0002..<0.0008)
    last = max(event + latency, last + 0.00001)
    return last
  }
}
