import Synchronization

/// A cache of row IDs in the small tables, so that saving a batch takes one insert per sample.
///
/// Contains only committed rows. A failed transaction, or a commit of another process, empties it.
struct InternedRows: Sendable {
  struct ObjectTypeRow {
    var id: Int64
    var longest: Int64
    /// The latest end of a sample of this type, in microseconds since 1970; nil if not determined yet.
    var latestEnd: Int64?
  }

  struct ProvenanceRow {
    var id: Int64
    var source: Int64
  }

  /// Objects with sync identifiers each have their own metadata, so the cache needs a limit.
  static let metadataCapacity = 4096
  /// Limit for recordings with many sources, such as those of a busy place or malicious ones.
  static let provenanceCapacity = 4096

  /// SQLite's `data_version` of the writing connection, which another connection's commit changes.
  var dataVersion: Int64?
  var types: [String: ObjectTypeRow] = [:]
  var units: [String: Int64] = [:]
  var provenances: [Provenance: ProvenanceRow] = [:]
  var sourceNames: [Int64: String] = [:]
  var metadata: [[UInt8]: Int64] = [:]

  /// Also empties the source names, which belong to the sources of the provenances.
  mutating func forgetProvenances() {
    provenances.removeAll(keepingCapacity: true)
    sourceNames.removeAll(keepingCapacity: true)
  }
}

/// The cache of this process. Accessed only inside a write.
final class InternedCache: Sendable {
  let rows = Mutex(InternedRows())

  /// Moves the rows to a transaction, which modifies them in place. Copying would cost each batch time
  /// proportional to the number of sources so far. Until they are returned, the cache is empty.
  func take() -> InternedRows { rows.withLock { exchange(&$0, InternedRows()) } }
}

private func exchange<Value>(_ place: inout Value, _ value: Value) -> Value {
  defer { place = value }
  return place
}
