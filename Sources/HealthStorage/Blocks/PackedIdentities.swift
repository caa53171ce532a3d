import Foundation
import GRDB

/// Checks whether a sample with a given UUID is in a compressed segment. For lookups in one hour, each
/// segment of the hour is decoded only once. Use it only inside the database access in which it was created.
///
/// Damaged segments are skipped and recorded, because new samples must be stored in any case. So a sample of
/// a damaged segment may be stored twice. `hrgate store check` finds such copies, and `hrgate store recover`
/// removes them.
final class PackedIdentities {
  /// Maximum memory for decoded UUIDs, in bytes. For an hour that exceeds it, the compressed segments are
  /// decoded again for each lookup.
  private static let capacity = 32 << 20

  /// The UUIDs of one compressed segment.
  private struct Known {
    let uuids: Set<UUID>
    let hour: Int64

    /// The approximate memory of the set. It doubles its capacity when it is three quarters full.
    var bytes: Int { 128 + uuids.capacity * 24 }
  }

  private struct Segment {
    let id: Int64
    let start: Int64
    let end: Int64
  }

  private let database: Database
  private let reader: BlockReader
  private let damaged: DamagedBlocks
  private let capacity: Int
  /// All samples in compressed segments end before this time, in microseconds since 1970.
  private let end: Int64
  /// The hour of the last lookup and its compressed segments, in the order of their start.
  private var segments: (hour: Int64, all: [Segment]) = (.min, [])
  private var known: [Int64: Known] = [:]
  private var bytes = 0

  /// - Parameters:
  ///   - damaged: Collects the compressed segments that cannot be read.
  ///   - capacity: Maximum memory for decoded UUIDs, in bytes.
  init(in database: Database, _ damaged: DamagedBlocks, capacity: Int = capacity) throws {
    self.database = database
    self.damaged = damaged
    self.capacity = capacity
    reader = BlockReader(in: database)
    let last = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT max(start) FROM block INDEXED BY block_start"))
    end = last.map { HourSummary.lastMoment(ofHourOf: $0) + 1 } ?? .min
  }

  /// - Throws: `StorageError` if SQLite cannot read, except because of a damaged compressed segment.
  func contains(_ uuid: UUID) throws -> Bool {
    let high = uuid.words.high
    let millisecond = Int64(high >> 16) * 1000
    // All UUIDs in compressed segments contain the time of their sample (`HourPacking.eligible`). A new
    // sample is usually later than all segments.
    guard high & 0xF000 == 0x8000, millisecond < end else { return false }
    let hour = HourSummary.start(of: millisecond)
    if segments.hour != hour { segments = (hour, try read(hour)) }
    for segment in segments.all {
      guard segment.start <= millisecond + 999 else { break }
      if segment.end >= millisecond, try uuids(of: segment.id, hour).contains(uuid) { return true }
    }
    return false
  }

  private func read(_ hour: Int64) throws -> [Segment] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT id, start, end FROM block INDEXED BY block_start WHERE start BETWEEN ? AND ? ORDER BY start
          """), arguments: [hour, HourSummary.lastMoment(ofHourOf: hour)]
    ).map { try Segment(id: $0.decode(atIndex: 0), start: $0.decode(atIndex: 1), end: $0.decode(atIndex: 2)) }
  }

  private func uuids(of id: Int64, _ hour: Int64) throws -> Set<UUID> {
    if let known = known[id] { return known.uuids }
    let found = Known(uuids: try decode(id), hour: hour)
    // Samples are saved in the order of their times, so UUIDs of other hours are not needed any more.
    if bytes + found.bytes > capacity { forget(except: hour) }
    guard bytes + found.bytes <= capacity else { return found.uuids }
    known[id] = found
    bytes += found.bytes
    return found.uuids
  }

  private func decode(_ id: Int64) throws -> Set<UUID> {
    guard !damaged.torn.contains(id) else { return [] }
    do throws(BlockReadError) {
      let block = try reader.block(id)
      return Set(try reader.uuidList(of: block))
    } catch {
      guard case .damaged(let text) = error else { throw error.storageFailure }
      damaged.note(id, text)
      return []
    }
  }

  private func forget(except hour: Int64) {
    known = known.filter { $0.value.hour == hour }
    bytes = known.values.reduce(0) { $0 + $1.bytes }
  }
}

extension BlockReader {
  func uuids(of block: StoredBlock) throws(BlockReadError) -> Set<UUID> { Set(try uuidList(of: block)) }

  /// Returns the UUIDs of a compressed segment's samples, in the order of the samples.
  /// - Throws: `BlockReadError`.
  func uuidList(of block: StoredBlock) throws(BlockReadError) -> [UUID] {
    do {
      var uuids: [UUID] = []
      uuids.reserveCapacity(block.count)
      for position in 0..<block.count { uuids.append(UUID(words: try block.uuid(at: position))) }
      return uuids
    } catch {
      throw failure(block.header, error)
    }
  }
}
