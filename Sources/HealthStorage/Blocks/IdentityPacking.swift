import GRDB
import PackedSamples

/// How the UUIDs of a block are kept: as little of each as will do. What does not follow from its sample is
/// kept, so that nothing is ever given another identity.
struct IdentityPacking {
  /// More equal values of one microsecond than this come from no clock, and their hashes are kept: each would
  /// be compared with as many derived ones as there are values.
  private static let mostOccurrences: UInt32 = 16

  /// From which identities follow; nil for a source that is no monitor.
  let address: String?
  private var monitor: MeasuredIdentity?
  /// Of the last sample.
  private var last: (value: UInt64, end: Int64)?
  /// How many before it said the same.
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

  /// To be called with one sample after another, in order of time.
  /// - Parameters:
  ///   - high: the UUID's first eight bytes, the first as the most significant.
  ///   - end: of the sample, in microseconds since 1970.
  mutating func pack(high: UInt64, low: UInt64, value: Double, end: Int64) -> PackedIdentity {
    let kept = PackedIdentity(high: high, low: low, end: end)
    guard case .hashed = kept, monitor != nil else { return kept }
    alike = last.map { $0 == (value.bitPattern, end) } == true ? min(alike + 1, Self.mostOccurrences) : 0
    last = (value.bitPattern, end)
    // Those of one time may stand in any order.
    for occurrence in 0...alike {
      let words = monitor?.words(ofHeartRate: value, at: end, occurrence: occurrence)
      if let words, words == (high, low) { return .derived(occurrence: occurrence) }
    }
    return kept
  }
}
