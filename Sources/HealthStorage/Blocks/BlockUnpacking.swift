import Foundation
import GRDB

/// Turns compressed segments of samples into rows of the table `sample`, because only rows can be deleted,
/// changed or added to a container. Each row's ID is the sample's position in the change log.
///
/// Query results do not change. Use it only inside the write access in which it was created.
struct BlockUnpacking {
  private let database: Database
  private let haveBlocks: Bool

  init(in database: Database) throws {
    self.database = database
    haveBlocks = try SampleTables(in: database).haveBlocks
  }

  /// Turns the compressed segment that contains a sample into rows.
  ///
  /// - Parameter sample: `sample.id`. A sample that is already a row, or not stored, is ignored.
  /// - Throws: `StorageError.damagedBlock` if the sample was not found and may be in a segment that cannot be
  ///   read.
  func unpack(holding sample: Int64) throws { try unpack(holding: [sample]) }

  /// Turns the compressed segments that contain these samples into rows. Each segment is decoded once.
  func unpack(holding samples: [Int64]) throws {
    guard haveBlocks else { return }
    let isRow = try database.cachedStatement(sql: "SELECT 1 FROM sample WHERE id = ?")
    var missing = Set(try samples.filter { try Bool.fetchOne(isRow, arguments: [$0]) == nil })
    guard !missing.isEmpty else { return }
    var request = PackedSampleRequest()
    request.narrow(toChanges: Array(missing))
    try unpack(request) { block in
      let held = block.changes.filter(missing.contains)
      missing.subtract(held)
      return held.isEmpty ? .leave : missing.isEmpty ? .unpackLast : .unpack
    }
  }

  func unpack(holding uuid: UUID) throws { try unpack(holding: [uuid]) }

  /// - Parameter uuids: The UUIDs of samples. Samples that are already rows, or not stored, are ignored.
  /// - Throws: `StorageError.damagedBlock` if a sample was not found and may be in a compressed segment that
  ///   cannot be read.
  func unpack(holding uuids: Set<UUID>) throws {
    guard haveBlocks else { return }
    let isRow = try database.cachedStatement(sql: "SELECT 1 FROM sample WHERE uuid = ?")
    var missing = try uuids.filter { try Bool.fetchOne(isRow, arguments: [$0]) == nil }
    guard !missing.isEmpty else { return }
    var request = PackedSampleRequest()
    request.narrow(toUUIDs: missing.map(\.words))
    let reader = BlockReader(in: database)
    try unpack(request) { block in
      let held = try reader.uuids(of: block).intersection(missing)
      missing.subtract(held)
      return held.isEmpty ? .leave : missing.isEmpty ? .unpackLast : .unpack
    }
  }

  /// Turns the compressed segments that contain matching samples into rows.
  /// - Parameter condition: An SQL condition on samples.
  /// - Throws: `StorageError.damagedBlock` if a segment that cannot be read may contain matching samples.
  func unpack(_ condition: SQLCondition) throws {
    guard haveBlocks else { return }
    let ids = try Int64.fetchAll(
      database,
      sql: "SELECT DISTINCT block FROM \(SampleTables.Table.blocks.sql) WHERE \(condition.sql)",
      arguments: condition.arguments)
    guard !ids.isEmpty else { return }
    let reader = BlockReader(in: database)
    do {
      for id in ids { try unpack(reader.block(id), reader) }
    } catch let failure as BlockReadError {
      throw failure.storageFailure
    }
  }

  /// Turns into rows all compressed segments that contain samples with these positions in the change log,
  /// start times and provenances (row IDs of the table `provenance`: source revision and device).
  /// - Parameter damaged: Collects the segments that cannot be read. They are left unchanged.
  func unpack(
    _ changes: ClosedRange<Int64>, starting starts: ClosedRange<Int64>, of provenances: Set<Int64>,
    _ damaged: DamagedBlocks
  ) throws {
    guard haveBlocks else { return }
    var request = PackedSampleRequest()
    request.narrow(changesFrom: changes.lowerBound)
    request.narrow(changesUpTo: changes.upperBound)
    request.narrow(startsFrom: starts.lowerBound)
    request.narrow(startsUpTo: starts.upperBound)
    request.narrow(toProvenances: provenances)
    try unpack(request, skipping: damaged) { block in
      let isAny = block.starts.indices.contains {
        changes.contains(block.changes[$0]) && starts.contains(block.starts[$0])
      }
      return isAny ? .unpack : .leave
    }
  }

  private enum Decision {
    case leave, unpack
    /// Turn this compressed segment into rows, then stop.
    case unpackLast
  }

  /// - Parameters:
  ///   - damaged: Collects the compressed segments that cannot be read. If `nil`, such a segment is an error,
  ///     unless all wanted samples are found in others.
  ///   - decide: Returns what to do with a segment that may contain wanted samples.
  private func unpack(
    _ request: PackedSampleRequest, skipping damaged: DamagedBlocks? = nil,
    _ decide: (StoredBlock) throws -> Decision
  ) throws {
    let reader = BlockReader(in: database)
    var failure: BlockReadError?
    do {
      for id in try BlockSearch.all(request, reader.connection) {
        do {
          guard damaged?.torn.contains(id) != true else { continue }
          guard let block = try reader.block(id, where: request.concerns) else { continue }
          let decision = try decide(block)
          if decision != .leave { try unpack(block, reader) }
          if decision == .unpackLast { return }
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

  private func unpack(_ block: StoredBlock, _ reader: BlockReader) throws {
    // Decode everything before inserting the first row: a compressed segment that cannot be decoded
    // completely must stay unchanged.
    let uuids = try reader.uuidList(of: block)
    let insert = try PackedSampleRow(in: database)
    for position in 0..<block.count {
      try insert(
        block.changes[position], uuids[position], from: block.starts[position], to: block.end(at: position),
        value: block.values[position], block.header.kind)
    }
    try SampleDatabase.recordMeasurement(block, in: database)
    var counts = SampleCounts()
    counts.add(block.header.kind.references, block.count)
    try counts.flush(in: database)
    try database.deleteBlock(block.header.id)
  }
}

extension UUID {
  /// - Parameter words: The two halves of the UUID. The first byte of each half is its most significant byte.
  init(words: (high: UInt64, low: UInt64)) {
    self = withUnsafeBytes(of: (words.high.bigEndian, words.low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }

  /// The two halves of the UUID. The first byte of each half is its most significant byte.
  var words: (high: UInt64, low: UInt64) {
    withUnsafeBytes(of: uuid) {
      (
        $0.loadUnaligned(as: UInt64.self).bigEndian,
        $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
      )
    }
  }
}
