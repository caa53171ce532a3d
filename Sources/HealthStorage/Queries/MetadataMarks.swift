import Foundation
import GRDB

/// Determines whether metadata has the value true for a key, which marks samples for statistics
/// (`Interpretation.markingKey`). Results are cached, because every sample needs one.
struct MetadataMarks {
  private let key: String?
  private let database: Database
  private var known: [Int64: Bool] = [:]

  /// - Parameter key: The metadata key; `nil` if no samples are to be marked.
  init(key: String?, _ database: Database) {
    self.key = key
    self.database = database
  }

  /// - Parameter id: The row ID of the metadata; 0 for a sample without metadata, which is not marked.
  mutating func contain(_ id: Int64) throws -> Bool {
    guard let key, id != 0 else { return false }
    if let known = known[id] { return known }
    // Limit the cache, because each sample with a sync identifier has its own metadata row.
    if known.count >= InternedRows.metadataCapacity { known.removeAll(keepingCapacity: true) }
    let statement = try database.cachedStatement(sql: "SELECT encoded FROM metadata WHERE id = ?")
    let bytes = try Data.fetchOne(statement, arguments: [id]) ?? Data()
    let isMarked = try Self.isTrue(EncodedMetadata(decoding: Array(bytes)).values[key])
    known[id] = isMarked
    return isMarked
  }

  /// Returns whether a value is true. Programs write true as a Boolean or as a number.
  private static func isTrue(_ value: MetadataValue?) -> Bool {
    switch value {
    case .boolean(let flag): flag
    case .integer(let number): number != 0
    default: false
    }
  }
}
