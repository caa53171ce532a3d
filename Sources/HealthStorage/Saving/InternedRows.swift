import Synchronization

/// A cache of the row IDs in the small tables (types, units, sources and so on), so that saving a sample
/// takes only one insert.
///
/// It contains only committed rows. It is emptied when a transaction fails or another process commits.
struct InternedRows: Sendable {
  struct ObjectTypeRow {
    var id: Int64
    var longest: Int64
    /// The latest end of a stored sample of this type, in microseconds since 1970; `nil` if it has not been
    /// read yet.
    var latestEnd: Int64?
  }

  struct ProvenanceRow {
    var id: Int64
    var source: Int64
  }

  /// Maximum number of cached metadata rows. It is needed because each sample with a sync identifier has its
  /// own metadata row.
  static let metadataCapacity = 4096
  /// Maximum number of cached provenances. A recording from a crowded place, or a manipulated recording, may
  /// have many monitors.
  static let provenanceCapacity = 4096

  /// SQLite's `data_version` of the connection. It changes when another connection commits.
  var dataVersion: Int64?
  var types: [String: ObjectTypeRow] = [:]
  var units: [String: Int64] = [:]
  var provenances: [Provenance: ProvenanceRow] = [:]
  var sourceNames: [Int64: String] = [:]
  var metadata: [[UInt8]: Int64] = [:]

  /// Removes the provenances, and the source names that belong to them.
  mutating func forgetProvenances() {
    provenances.removeAll(keepingCapacity: true)
    sourceNames.removeAll(keepingCapacity: true)
  }
}

/// The cache of this process. It is used only inside a write.
final class InternedCache: Sendable {
  let rows = Mutex(InternedRows())

  /// Returns the cached rows to a transaction and empties the cache, so that the transaction can change them
  /// without copying. A successful transaction puts them back.
  func take() -> InternedRows { rows.withLock { exchange(&$0, InternedRows()) } }
}

private func exchange<Value>(_ place: inout Value, _ value: Value) -> Value {
  defer { place = value }
  return place
}
