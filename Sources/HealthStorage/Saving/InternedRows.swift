import Synchronization

/// The ids of the small tables' rows that this process has met, so that a batch costs one insert for each
/// sample.
///
/// Only what is committed may stay here: a failed transaction, or one of another process, empties it.
struct InternedRows: Sendable {
  struct ObjectTypeRow {
    var id: Int64
    var longest: Int64
    /// No sample ends later, in microseconds since 1970; nil until somebody asks.
    var latestEnd: Int64?
  }

  struct ProvenanceRow {
    var id: Int64
    var source: Int64
  }

  /// Sync identifiers make metadata of their own for each object; the cache must not grow with them.
  static let metadataCapacity = 4096
  /// A log of a busy place, or a hostile one, has any number of sources; those of a few thousand are
  /// remembered.
  static let provenanceCapacity = 4096

  /// SQLite's `data_version` of the writing connection, which another connection's commit changes.
  var dataVersion: Int64?
  var types: [String: ObjectTypeRow] = [:]
  var units: [String: Int64] = [:]
  var provenances: [Provenance: ProvenanceRow] = [:]
  var sourceNames: [Int64: String] = [:]
  var metadata: [[UInt8]: Int64] = [:]

  /// The names go with them: they are those of the sources that provenances name.
  mutating func forgetProvenances() {
    provenances.removeAll(keepingCapacity: true)
    sourceNames.removeAll(keepingCapacity: true)
  }
}

/// What this process knows about the rows of the small tables; touched only inside a write.
final class InternedCache: Sendable {
  let rows = Mutex(InternedRows())

  /// Hands the rows over to a transaction, so that it changes them where they are: a copy of them all would
  /// cost each batch what every source before it did. Until they are given back, nothing is known.
  func take() -> InternedRows { rows.withLock { exchange(&$0, InternedRows()) } }
}

private func exchange<Value>(_ place: inout Value, _ value: Value) -> Value {
  defer { place = value }
  return place
}
