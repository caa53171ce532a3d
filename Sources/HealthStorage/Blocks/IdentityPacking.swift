import PackedSamples

/// Encodes the UUIDs of a compressed segment in as few bytes as possible. UUIDs that can be computed from
/// their samples are not stored.
struct IdentityPacking {
  /// Maximum number of samples with equal time and value for which a computed UUID is tried. The UUIDs of
  /// further samples are stored, because trying all numbers for each sample would take too long. A source
  /// with that many has no usable clock.
  private static let mostOccurrences: UInt32 = 16

  /// The monitor's address, from which UUIDs are computed; `nil` if the source is not a monitor.
  let address: String?
  private var monitor: MeasuredIdentity?
  /// The value and end of the last sample.
  private var last: (value: UInt64, end: Int64)?
  /// The number of earlier samples with the same value and end as the last one.
  private var alike: UInt32 = 0

  /// - Parameter source: The bundle identifier of the samples' source.
  init(source: String) {
    address = MeasuredIdentity.address(ofSource: source)
    monitor = address.map { MeasuredIdentity(monitor: $0) }
  }

  /// Encodes the UUID of a sample. Call it for the samples of a compressed segment in the order of their
  /// times.
  /// - Parameters:
  ///   - high: The first eight bytes of the UUID; the first one is the most significant.
  ///   - end: The end of the sample, in microseconds since 1970.
  mutating func pack(high: UInt64, low: UInt64, value: Double, end: Int64) -> PackedIdentity {
    skip(value: value, end: end)
    let kept = PackedIdentity(high: high, low: low, end: end)
    guard case .hashed = kept, monitor != nil else { return kept }
    // The UUIDs of samples with the same time and value differ in their `occurrence`, which counts from 0.
    // The samples may be in any order here, so try each value.
    for occurrence in 0...alike {
      let words = monitor?.words(ofHeartRate: value, at: end, occurrence: occurrence)
      if let words, words == (high, low) { return .derived(occurrence: occurrence) }
    }
    return kept
  }

  /// Counts a sample whose UUID is already encoded, because it affects the `occurrence` of the following
  /// samples.
  mutating func skip(value: Double, end: Int64) {
    alike = last.map { $0 == (value.bitPattern, end) } == true ? min(alike + 1, Self.mostOccurrences) : 0
    last = (value.bitPattern, end)
  }
}
