import Foundation
import GRDB

/// Looks up whether metadata have a true value for a key. Caches results, because long reads ask for each
/// sample.
struct MetadataMarks {
  private let key: String?
  private let database: Database
  private var known: [Int64: Bool] = [:]

  /// - Parameter key: nil if there is nothing to look up.
  init(key: String?, _ database: Database) {
    self.key = key
    self.database = database
  }

  /// - Parameter id: the ID of the metadata's row; 0 for none, which is never marked.
  mutating func contain(_ id: Int64) throws -> Bool {
    guard let key, id != 0 else { return false }
    if let known = known[id] { return known }
    // Samples with sync identifiers each have their own metadata row, so the cache needs a limit.
    if known.count >= InternedRows.metadataCapacity { known.removeAll(keepingCapacity: true) }
    let statement = try database.cachedStatement(sql: "SELECT encoded FROM metadata WHERE id = ?")
    let bytes = try Data.fetchOne(statement, arguments: [id]) ?? Data()
    let isMarked = try Self.isTrue(EncodedMetadata(decoding: Array(bytes)).values[key])
    known[id] = isMarked
    return isMarked
  }

  /// Programs write a flag as a Boolean or as a number.
  private static func isTrue(_ value: MetadataValue?) -> Bool {
    switch value {
    case .boolean(let flag): flag
    case .integer(let number): number != 0
    default: false
    }
  }
}
