import Foundation
import GRDB

/// Which metadata are true under a key: a question that a long read asks for each sample.
struct MetadataMarks {
  private let key: String?
  private let database: Database
  private var known: [Int64: Bool] = [:]

  /// - Parameter key: nil if nothing will be asked.
  init(key: String?, _ database: Database) {
    self.key = key
    self.database = database
  }

  /// - Parameter id: of the metadata's row; that of no row is not marked.
  mutating func contain(_ id: Int64) throws -> Bool {
    guard let key, id != 0 else { return false }
    if let known = known[id] { return known }
    // Metadata with sync identifiers is one row for each sample: a long read must not keep it all.
    if known.count >= InternedRows.metadataCapacity { known.removeAll(keepingCapacity: true) }
    let statement = try database.cachedStatement(sql: "SELECT encoded FROM metadata WHERE id = ?")
    let bytes = try Data.fetchOne(statement, arguments: [id]) ?? Data()
    let isMarked = try Self.isTrue(EncodedMetadata(decoding: Array(bytes)).values[key])
    known[id] = isMarked
    return isMarked
  }

  /// Programs write a flag as a Boolean or as the number.
  private static func isTrue(_ value: MetadataValue?) -> Bool {
    switch value {
    case .boolean(let flag): flag
    case .integer(let number): number != 0
    default: false
    }
  }
}
