import Foundation
import GRDB

/// Says which UUIDs are in blocks. Whoever asks about the samples of an hour, one after another, has each
/// block decoded once. Valid only within the access that it was made in.
///
/// A block that cannot be read is passed over and told: what it holds is lost to whoever asks, and what is to
/// be stored must not be lost with it. `store check` finds what is stored twice by that, and `store recover`
/// carries it once.
final class PackedIdentities {
  /// In memory, in octets. What goes beyond it in one hour is decoded again for each question.
  private static let capacity = 32 << 20

  /// The UUIDs of one row.
  private struct Known {
    let uuids: Set<UUID>
    let hour: Int64

    /// Of a set, which is at most three quarters full when it grows to twice its size.
    var octets: Int { 128 + uuids.capacity * 24 }
  }

  private let database: Database
  private let reader: BlockReader
  private let damaged: DamagedBlocks
  private let capacity: Int
  /// No sample in a block ends at this time or later.
  private let end: Int64
  private var known: [PackedRow: Known] = [:]
  private var octets = 0

  /// - Parameters:
  ///   - damaged: told of blocks that cannot be read.
  ///   - capacity: so many octets of UUIDs are in memory at a time.
  init(in database: Database, _ damaged: DamagedBlocks, capacity: Int = capacity) throws {
    self.database = database
    self.damaged = damaged
    self.capacity = capacity
    reader = BlockReader(in: database)
    let last = try Int64.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT max(start) FROM (
            SELECT max(start) AS start FROM block UNION ALL SELECT max(start) FROM batch)
          """))
    end = last.map { HourSummary.lastMoment(ofHourOf: $0) + 1 } ?? .min
  }

  /// - Throws: `StorageError` where SQLite cannot read for another reason than damage.
  func contains(_ uuid: UUID) throws -> Bool {
    let high = uuid.words.high
    let millisecond = Int64(high >> 16) * 1000
    // Blocks hold none but those that name their time (`HourPacking.eligible`). What is new is later.
    guard high & 0xF000 == 0x8000, millisecond < end else { return false }
    let hour = HourSummary.start(of: millisecond)
    let rows = try Int64.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT \(PackedRow.numberOfBlock) FROM block INDEXED BY block_start WHERE start BETWEEN ?1 AND ?3
          UNION ALL
          SELECT \(PackedRow.numberOfBatch) FROM batch INDEXED BY batch_start WHERE start BETWEEN ?1 AND ?3 AND end >= ?2
          """), arguments: [hour, millisecond, millisecond + 999])
    while let row = try rows.next() {
      if try uuids(of: PackedRow(number: row), hour).contains(uuid) { return true }
    }
    return false
  }

  private func uuids(of row: PackedRow, _ hour: Int64) throws -> Set<UUID> {
    if let known = known[row] { return known.uuids }
    let found = Known(uuids: try read(row), hour: hour)
    // Of other hours first: what is stored goes on in time.
    if octets + found.octets > capacity { forget(but: hour) }
    guard octets + found.octets <= capacity else { return found.uuids }
    known[row] = found
    octets += found.octets
    return found.uuids
  }

  private func read(_ row: PackedRow) throws -> Set<UUID> {
    guard !damaged.torn.contains(row) else { return [] }
    do throws(BlockReadError) {
      var uuids: Set<UUID> = []
      for block in try reader.blocks(row) { uuids.formUnion(try reader.uuidList(of: block)) }
      return uuids
    } catch {
      guard case .damaged(let text) = error else { throw error.storageFailure }
      damaged.note(row, text)
      return []
    }
  }

  private func forget(but hour: Int64) {
    known = known.filter { $0.value.hour == hour }
    octets = known.values.reduce(0) { $0 + $1.octets }
  }
}

extension BlockReader {
  /// - Throws: `BlockReadError`.
  func uuids(of block: StoredBlock) throws(BlockReadError) -> Set<UUID> { Set(try uuidList(of: block)) }

  /// In the order of the block.
  /// - Throws: `BlockReadError`.
  func uuidList(of block: StoredBlock) throws(BlockReadError) -> [UUID] {
    do {
      var uuids: [UUID] = []
      uuids.reserveCapacity(block.count)
      for place in 0..<block.count { uuids.append(UUID(words: try block.uuid(at: place))) }
      return uuids
    } catch {
      throw failure(block.header, error)
    }
  }
}
