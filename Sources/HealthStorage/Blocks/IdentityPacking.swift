import GRDB
import PackedSamples

/// Encodes the UUIDs of a segment in as few bytes as possible. What does not follow from a sample is stored,
/// so no sample ever gets another UUID.
struct IdentityPacking {
  /// Maximum number of equal values at one microsecond to try. More come from no clock: their hashes are
  /// stored, because each would be compared with as many derived ones as there are values.
  private static let mostOccurrences: UInt32 = 16

  /// The monitor's address, from which identities are derived; nil if the source is no monitor.
  let address: String?
  private var monitor: MeasuredIdentity?
  /// The last sample.
  private var last: (value: UInt64, end: Int64)?
  /// The number of equal samples before it.
  private var alike: UInt32 = 0

  init(provenance: Int64, in database: Database) throws {
    let source = try String.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT source.bundle_identifier FROM provenance
          JOIN source_revision ON source_revision.id = provenance.source_revision
          JOIN source ON source.id = source_revision.source WHERE provenance.id = ?
          """), arguments: [provenance])
    address = source.flatMap { MeasuredIdentity.address(ofSource: $0) }
    monitor = address.map { MeasuredIdentity(monitor: $0) }
  }

  /// Encodes a UUID. Must be called for one sample after another, in order of time.
  /// - Parameters:
  ///   - high: The UUID's first eight bytes, with the first as the most significant.
  ///   - end: The end of the sample, in microseconds since 1970.
  mutating func pack(high: UInt64, low: UInt64, value: Double, end: Int64) -> PackedIdentity {
    skip(value: value, end: end)
    let kept = PackedIdentity(high: high, low: low, end: end)
    guard case .hashed = kept, monitor != nil else { return kept }
    // Samples of one time may be in any order.
    for occurrence in 0...alike {
      let words = monitor?.words(ofHeartRate: value, at: end, occurrence: occurrence)
      if let words, words == (high, low) { return .derived(occurrence: occurrence) }
    }
    return kept
  }

  /// Counts a sample whose identity is already encoded.
  mutating func skip(value: Double, end: Int64) {
    alike = last.map { $0 == (value.bitPattern, end) } == true ? min(alike + 1, Self.mostOccurrences) : 0
    last = (value.bitPattern, end)
  }
}
