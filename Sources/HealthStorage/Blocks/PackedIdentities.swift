import Foundation
import GRDB

/// Says which UUIDs are in blocks. Whoever asks about the samples of an hour, one after another, has each
/// block decoded once. Valid only within the access that it was made in.
final class PackedIdentities {
  /// Blocks of as many hours and sources as one recording is stored of at a time.
  private static let capacity = 16

  private let database: Database
  private let reader: BlockReader
  /// No sample in a block ends at this time or later.
  private let end: Int64
  /// By block, the UUIDs in it.
  private var known: [Int64: Set<UUID>] = [:]

  init(in database: Database) throws {
    self.database = database
    reader = BlockReader(in: database)
    let last = try Int64.fetchOne(database.cachedStatement(sql: "SELECT max(start) FROM block"))
    end = last.map { HourSummary.start(of: min(max($0, 0), .max / 2)) + HourSummary.length } ?? .min
  }

  /// - Throws: `StorageFailure` that names the block where one that may hold it cannot be read.
  func contains(_ uuid: UUID) throws -> Bool {
    let high = uuid.words.high
    let millisecond = Int64(high >> 16) * 1000
    // Blocks hold none but those that name their time (`HourPacking.eligible`). What is new is later.
    guard high & 0xF000 == 0x8000, millisecond < end else { return false }
    let blocks = try Int64.fetchCursor(
      database.cachedStatement(
        sql: "SELECT id FROM block INDEXED BY block_start WHERE start BETWEEN ? AND ?"),
      arguments: [millisecond - HourSummary.length, millisecond + 999])
    while let block = try blocks.next() {
      if try uuids(of: block).contains(uuid) { return true }
    }
    return false
  }

  private func uuids(of id: Int64) throws -> Set<UUID> {
    if let known = known[id] { return known }
    if known.count >= Self.capacity { known = [:] }
    do throws(BlockFailure) {
      let block = try reader.block(id)
      let uuids = try reader.uuids(of: block)
      known[id] = uuids
      return uuids
    } catch {
      throw error.storageFailure
    }
  }
}

extension BlockReader {
  /// - Throws: `BlockFailure`.
  func uuids(of block: StoredBlock) throws(BlockFailure) -> Set<UUID> {
    do {
      var uuids = Set<UUID>(minimumCapacity: block.count)
      for place in 0..<block.count { uuids.insert(UUID(words: try block.uuid(at: place))) }
      return uuids
    } catch {
      throw failure(block.header, error)
    }
  }
}
