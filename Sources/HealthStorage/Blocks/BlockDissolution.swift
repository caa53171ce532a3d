import Foundation
import GRDB

/// Takes blocks apart into the rows that they were made of, with the ids that these had: before one of their
/// samples is deleted, related or changed in any way, which is done to rows alone.
///
/// Nobody who asks sees a difference: no place in the change log is given out, and no figure changes. Valid
/// only within the write access that it was made in.
struct BlockDissolution {
  private let database: Database
  private let haveBlocks: Bool

  init(in database: Database) throws {
    self.database = database
    haveBlocks = try SampleTables(in: database).haveBlocks
  }

  /// - Parameter sample: its `id`. One that is a row, or not stored, is left as it is.
  /// - Throws: `StorageError.damagedBlock` if it may be in a block that cannot be read, and is nowhere
  ///   else.
  func dissolve(holding sample: Int64) throws { try dissolve(holding: [sample]) }

  /// The same for several samples; each block is decoded once.
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

  /// - Parameter uuids: of samples. Those that are rows, or not stored, are left as they are.
  /// - Throws: `StorageError.damagedBlock` if one may be in a block that cannot be read, and is nowhere
  ///   else.
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

  /// - Parameter condition: on samples: the blocks of those for which it holds.
  /// - Throws: `StorageError.damagedBlock` if it may hold of samples in a block that cannot be read.
  func dissolve(_ condition: SQLCondition) throws {
    guard haveBlocks else { return }
    let rows = try Int64.fetchAll(
      database,
      sql: "SELECT DISTINCT block FROM \(SampleTables.Table.blocks.sql) WHERE \(condition.sql)",
      arguments: condition.arguments)
    guard !rows.isEmpty else { return }
    let reader = BlockReader(in: database)
    do {
      for number in rows { try dissolve(PackedRow(number: number), reader) }
    } catch let failure as BlockReadError {
      throw failure.storageFailure
    }
  }

  /// The blocks that hold samples of some places in the change log, times and sources.
  /// - Parameter damaged: told of blocks that cannot be read; they are left as they are.
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
    try dissolve(question, passingOver: damaged) { block in
      let isAny = block.starts.indices.contains {
        changes.contains(block.changes[$0]) && starts.contains(block.starts[$0])
      }
      return isAny ? .dissolve : .leave
    }
  }

  private enum Verdict {
    case leave, dissolve
    /// No other one need be looked at.
    case dissolveLast
  }

  /// - Parameters:
  ///   - damaged: told of what cannot be read; nil if that is a failure, unless the last one is found.
  ///   - judge: says what is to become of a block.
  private func dissolve(
    _ question: PackedSampleRequest, passingOver damaged: DamagedBlocks? = nil,
    _ judge: (StoredBlock) throws -> Verdict
  ) throws {
    let reader = BlockReader(in: database)
    var failure: BlockReadError?
    do {
      for row in try BlockSearch.all(question, reader.connection) {
        do {
          guard damaged?.torn.contains(row) != true else { continue }
          let blocks = try reader.blocks(row, where: question.concerns)
          let verdicts = try blocks.map(judge)
          if verdicts.contains(where: { $0 != .leave }) {
            // Of a batch the others go with it.
            if row.isBatch { try dissolve(row, reader) } else { try dissolve(blocks, in: row, reader) }
          }
          if verdicts.contains(.dissolveLast) { return }
        } catch BlockReadError.damaged(let text) {
          failure = failure ?? .damaged(text)
          damaged?.note(row, text)
        }
      }
      if damaged == nil, let failure { throw failure }
    } catch let failure as BlockReadError {
      throw failure.storageFailure
    }
  }

  private func dissolve(_ row: PackedRow, _ reader: BlockReader) throws {
    try dissolve(reader.blocks(row), in: row, reader)
  }

  /// - Parameter blocks: all of the row.
  private func dissolve(_ blocks: [StoredBlock], in row: PackedRow, _ reader: BlockReader) throws {
    // Before the first row: what cannot be told to its end is left as it is.
    let uuids = try blocks.map { try reader.uuidList(of: $0) }
    var counts = SampleCounts()
    for (block, uuids) in zip(blocks, uuids) {
      try insert(block, uuids)
      if row.isBatch {
        try SampleDatabase.noteMeasurement(block, in: database)
        counts.add(block.header.kind.references, block.count)
      }
    }
    try counts.flush(in: database)
    try PackedRows(in: database).delete(row)
  }

  private func insert(_ block: StoredBlock, _ uuids: [UUID]) throws {
    let insert = try PackedSampleRow(in: database)
    for place in 0..<block.count {
      try insert(
        block.changes[place], uuids[place], from: block.starts[place], to: block.end(at: place),
        value: block.values[place], block.header.kind)
    }
  }
}

extension UUID {
  /// - Parameter words: its two halves, the first byte as the most significant.
  init(words: (high: UInt64, low: UInt64)) {
    self = withUnsafeBytes(of: (words.high.bigEndian, words.low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }

  /// Its two halves, the first byte as the most significant.
  var words: (high: UInt64, low: UInt64) {
    withUnsafeBytes(of: uuid) {
      (
        $0.loadUnaligned(as: UInt64.self).bigEndian,
        $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
      )
    }
  }
}
