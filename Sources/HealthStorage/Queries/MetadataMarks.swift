import Foundation
import GRDB

/// Finds out whether metadata has the value true for a key. Results are cached, because this is needed for
/// each sample.
struct MetadataMarks {
  private let key: String?
  private let database: Database
  private var known: [Int64: Bool] = [:]

  /// - Parameter key: The metadata key; `nil` if no samples are to be marked.
  init(key: String?, _ database: Database) {
    self.key = key
    self.database = database
  }

  /// - Parameter id: The row ID of the metadata; 0 if there is none, so that the sample is not marked.
  mutating func contain(_ id: Int64) throws -> Bool {
    guard let key, id != 0 else { return false }
    if let known = known[id] { return known }
    // Each sample with a sync identifier has a metadata row of its own, so limit the cache.
    if known.count >= InternedRows.metadataCapacity { known.removeAll(keepingCapacity: true) }
    let statement = try database.cachedStatement(sql: "SELECT encoded FROM metadata WHERE id = ?")
    let bytes = try Data.fetchOne(statement, arguments: [id]) ?? Data()
    let isMarked = try Self.isTrue(EncodedMetadata(decoding: Array(bytes)).values[key])
    known[id] = isMarked
    return isMarked
  }

  /// Returns whether a value is true. Programs write it as a Boolean or as a number.
  private static func isTrue(_ value: MetadataValue?) -> Bool {
    switch value {
    case .boolean(let flag): flag
    case .integer(let number): number != 0
    default: false
    }
  }
}
