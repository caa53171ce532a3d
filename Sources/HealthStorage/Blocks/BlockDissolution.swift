import Foundation
import GRDB

/// Turns segments into rows, with the ids that the samples have in the change log. This is done before one of
/// their samples is deleted, related or changed, because these operations only work on rows.
///
/// No query result changes. Valid only within the write access that it was made in.
struct BlockDissolution {
  private let database: Database
  private let haveBlocks: Bool

  init(in database: Database) throws {
    self.database = database
    haveBlocks = try SampleTables(in: database).haveBlocks
  }

  /// - Parameter sample: `sample.id`. A sample that is a row, or not stored, is left as it is.
  /// - Throws: `StorageError.damagedBlock` if the sample was not found and may be in a segment that cannot
  ///   be read.
  func dissolve(holding sample: Int64) throws { try dissolve(holding: [sample]) }

  /// The same for several samples. Each segment is decoded once.
  func dissolve(holding samples: [Int64]) throws {
    guard haveBlocks else { return }
    let isRow = try database.cachedStatement(sql: "SELECT 1 FROM sample WHERE id = ?")
    var missing = Set(try samples.filter { try Bool.fetchOne(isRow, arguments: [$0]) == nil })
    guard !missing.isEmpty else { return }
    var question = PackedSampleRequest()
    question.narrow(toChanges: Array(missing))
    try dissolve(question) { block in
      let held = block.changes.filter(missing.contains)
      missing.subtract(held)
      return held.isEmpty ? .leave : missing.isEmpty ? .dissolveLast : .dissolve
    }
  }

  func dissolve(holding uuid: UUID) throws { try dissolve(holding: [uuid]) }

  /// - Parameter uuids: Samples that are rows, or not stored, are left as they are.
  /// - Throws: `StorageError.damagedBlock` if a sample was not found and may be in a segment that cannot be
  ///   read.
  func dissolve(holding uuids: Set<UUID>) throws {
    guard haveBlocks else { return }
    let isRow = try database.cachedStatement(sql: "SELECT 1 FROM sample WHERE uuid = ?")
    var missing = try uuids.filter { try Bool.fetchOne(isRow, arguments: [$0]) == nil }
    guard !missing.isEmpty else { return }
    var question = PackedSampleRequest()
    question.narrow(toUUIDs: missing.map(\.words))
    let reader = BlockReader(in: database)
    try dissolve(question) { block in
      let held = try reader.uuids(of: block).intersection(missing)
      missing.subtract(held)
      return held.isEmpty ? .leave : missing.isEmpty ? .dissolveLast : .dissolve
    }
  }

  /// - Parameter condition: A condition on samples. The segments of matching samples become rows.
  /// - Throws: `StorageError.damagedBlock` if a segment that cannot be read may contain matching samples.
  func dissolve(_ condition: SQLCondition) throws {
    guard haveBlocks else { return }
    let ids = try Int64.fetchAll(
      database,
      sql: "SELECT DISTINCT block FROM \(SampleTables.Table.blocks.sql) WHERE \(condition.sql)",
      arguments: condition.arguments)
    guard !ids.isEmpty else { return }
    let reader = BlockReader(in: database)
    do {
      for id in ids { try dissolve(reader.block(id), reader) }
    } catch let failure as BlockReadError {
      throw failure.storageFailure
    }
  }

  /// Turns segments with samples of the given positions in the change log, times and sources into rows.
  /// - Parameter damaged: Records segments that cannot be read, which are left as they are.
  func dissolve(
    _ changes: ClosedRange<Int64>, starting starts: ClosedRange<Int64>, of provenances: Set<Int64>,
    _ damaged: DamagedBlocks
  ) throws {
    guard haveBlocks else { return }
    var question = PackedSampleRequest()
    question.narrow(changesFrom: changes.lowerBound)
    question.narrow(changesUpTo: changes.upperBound)
    question.narrow(startsFrom: starts.lowerBound)
    question.narrow(startsUpTo: starts.upperBound)
    question.narrow(toProvenances: provenances)
    try dissolve(question, skipping: damaged) { block in
      let isAny = block.starts.indices.contains {
        changes.contains(block.changes[$0]) && starts.contains(block.starts[$0])
      }
      return isAny ? .dissolve : .leave
    }
  }

  private enum Decision {
    case leave, dissolve
    /// All samples were found.
    case dissolveLast
  }

  /// - Parameters:
  ///   - damaged: Records segments that cannot be read; nil if they are an error, unless `decide` finds all
  ///     samples elsewhere.
  ///   - decide: Returns what to do with a segment.
  private func dissolve(
    _ question: PackedSampleRequest, skipping damaged: DamagedBlocks? = nil,
    _ decide: (StoredBlock) throws -> Decision
  ) throws {
    let reader = BlockReader(in: database)
    var failure: BlockReadError?
    do {
      for id in try BlockSearch.all(question, reader.connection) {
        do {
          guard damaged?.torn.contains(id) != true else { continue }
          guard let block = try reader.block(id, where: question.concerns) else { continue }
          let decision = try decide(block)
          if decision != .leave { try dissolve(block, reader) }
          if decision == .dissolveLast { return }
        } catch BlockReadError.damaged(let text) {
          failure = failure ?? .damaged(text)
          damaged?.note(id, text)
        }
      }
      if damaged == nil, let failure { throw failure }
    } catch let failure as BlockReadError {
      throw failure.storageFailure
    }
  }

  private func dissolve(_ block: StoredBlock, _ reader: BlockReader) throws {
    // Before the first row: a segment that cannot be decoded completely is left as it is.
    let uuids = try reader.uuidList(of: block)
    let insert = try PackedSampleRow(in: database)
    for place in 0..<block.count {
      try insert(
        block.changes[place], uuids[place], from: block.starts[place], to: block.end(at: place),
        value: block.values[place], block.header.kind)
    }
    try SampleDatabase.noteMeasurement(block, in: database)
    var counts = SampleCounts()
    counts.add(block.header.kind.references, block.count)
    try counts.flush(in: database)
    try database.deleteBlock(block.header.id)
  }
}

extension UUID {
  /// - Parameter words: The two halves, with the first byte as the most significant.
  init(words: (high: UInt64, low: UInt64)) {
    self = withUnsafeBytes(of: (words.high.bigEndian, words.low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }

  /// The two halves, with the first byte as the most significant.
  var words: (high: UInt64, low: UInt64) {
    withUnsafeBytes(of: uuid) {
      (
        $0.loadUnaligned(as: UInt64.self).bigEndian,
        $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
      )
    }
  }
}
