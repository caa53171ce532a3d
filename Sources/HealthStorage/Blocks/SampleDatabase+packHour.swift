import Foundation
import GRDB
import PackedSamples

extension SampleDatabase {
  /// Compacts samples of one hour in one transaction: rows become compressed segments, and small segments are
  /// merged. Query results do not change.
  ///
  /// The written segments are decoded and compared with the original samples before the originals are
  /// deleted. A sample stays a row if another table refers to it, or if its UUID does not contain its time.
  ///
  /// Each call handles a limited number of samples (`PackingLimit`), so that other writers do not wait long.
  /// An hour with more samples needs several calls.
  /// - Throws: `StorageError`. It is `.damagedBlock` if only rows could be compacted but a segment of the
  ///   hour is damaged, because that segment may contain the same samples. Nothing has changed after an
  ///   error.
  package func packHour(_ hour: PackableHour) async throws -> PackedHour {
    try await packHour(hour) { try $0.encoded() }
  }

  /// - Parameter encode: Encodes a compressed segment. Tests pass a function that encodes wrong bytes.
  func packHour(
    _ hour: PackableHour, _ encode: @escaping @Sendable (SampleBlock) throws -> [UInt8]
  ) async throws -> PackedHour {
    try await writeInOwnTransaction { database in
      try damagedBlocks.retrying {
        try Self.packing(database) { try HourPacking(hour, in: database, damagedBlocks).pack(encode) }
      }
    }
  }

  /// Runs a transaction that compacts samples. It is rolled back if the written compressed segments are not
  /// equal to the original samples.
  private static func packing(_ database: Database, _ pack: () throws -> PackedHour) throws -> PackedHour {
    var outcome = PackedHour.nothing
    try database.inTransaction(.immediate) {
      do {
        outcome = try pack()
        return .commit
      } catch let error as BlockError {
        outcome = .differs("\(error)")
      } catch let difference as HourPacking.MismatchError {
        outcome = .differs(difference.text)
      } catch let failure as BlockReadError {
        throw failure.storageFailure
      }
      return .rollback
    }
    return outcome
  }

  /// Returns the hours that `packHour(_:)` can compact, in chronological order.
  /// - Parameter time: Whole hours, in microseconds since 1970. The cost depends on the number of rows that
  ///   start in them.
  package func packableHours(in time: Range<Int64>) async throws -> [PackableHour] {
    try await read { database in
      let time = max(time.lowerBound, 0)..<max(time.upperBound, 0)
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT type, unit, provenance, metadata, start / \(HourSummary.length) * \(HourSummary.length)
          FROM sample
          WHERE type IN (SELECT id FROM object_type) AND start >= ? AND start < ? AND \(HourPacking.eligible)
          GROUP BY 5, 1, 2, 3, 4
          HAVING count(*) >= \(PackingLimit.fewest) OR EXISTS (
            SELECT 1 FROM block WHERE block.type = sample.type AND block.unit = sample.unit
              AND block.count < \(SampleBlock.capacity) AND block.provenance = sample.provenance
              AND block.metadata IS sample.metadata
              AND block.start >= sample.start / \(HourSummary.length) * \(HourSummary.length)
              AND block.start < (sample.start / \(HourSummary.length) + 1) * \(HourSummary.length))
          """, arguments: [time.lowerBound, time.upperBound])
      var hours = Set(
        try rows.map { row in
          try PackableHour(
            type: row.decode(atIndex: 0), unit: row.decode(atIndex: 1), provenance: row.decode(atIndex: 2),
            metadata: row.decode(atIndex: 3), start: row.decode(atIndex: 4))
        })
      try SegmentsWithRoom.forEachHour(in: time, database) { hour in
        hours.formUnion(try hour.mergeable(in: database))
        return true
      }
      return hours.sorted {
        ($0.start, $0.type, $0.unit, $0.provenance, $0.metadata ?? 0)
          < ($1.start, $1.type, $1.unit, $1.provenance, $1.metadata ?? 0)
      }
    }
  }
}

/// Compacts the samples of one hour, inside a transaction.
struct HourPacking {
  /// The written compressed segments are not equal to the original samples.
  struct MismatchError: Error {
    static let unequal = MismatchError(text: "the compressed samples differ from the original ones")

    let text: String
  }

  private struct Sample {
    var change: Int64
    var start: Int64
    var duration: Int64
    var value: Double
    var identity: Identity

    enum Identity {
      case encoded(PackedIdentity)
      case words(high: UInt64, low: UInt64)
    }
  }

  private let hour: PackableHour
  private let database: Database
  private let reader: BlockReader
  private let damaged: DamagedBlocks
  /// An encoder for the UUIDs of a compressed segment that has not encoded any yet. Each segment uses a copy.
  private let encoder: IdentityPacking

  init(_ hour: PackableHour, in database: Database, _ damaged: DamagedBlocks) throws {
    self.hour = hour
    self.database = database
    self.damaged = damaged
    reader = BlockReader(in: database)
    encoder = IdentityPacking(source: try reader.source(of: hour.provenance))
  }

  /// An SQL condition that selects the rows of `sample` that can be compacted: quantities of one hour after
  /// 1970 to which no other table refers, and whose UUID has version 8 and contains the millisecond in which
  /// the sample ends.
  static let eligible = """
    unit IS NOT NULL AND value IS NOT NULL
    AND start >= 0 AND ifnull(end, start) / \(HourSummary.length) = start / \(HourSummary.length)
    AND substr(uuid, 7, 1) BETWEEN x'80' AND x'8F' AND substr(uuid, 9, 1) BETWEEN x'80' AND x'BF'
    AND hex(substr(uuid, 1, 6)) = printf('%012X', ifnull(end, start) / 1000)
    AND NOT EXISTS (SELECT 1 FROM quantity_series WHERE quantity_series.sample = sample.id)
    AND NOT EXISTS (SELECT 1 FROM archived_sample WHERE archived_sample.sample = sample.id)
    AND NOT EXISTS (SELECT 1 FROM synced_object WHERE synced_object.sample = sample.id)
    AND NOT EXISTS (SELECT 1 FROM membership WHERE membership.member = sample.id)
    AND NOT EXISTS (SELECT 1 FROM membership WHERE membership.container = sample.id)
    AND NOT EXISTS (SELECT 1 FROM attachment WHERE attachment.sample = sample.id)
    AND NOT EXISTS (SELECT 1 FROM readable_object WHERE readable_object.sample = sample.id)
    AND NOT EXISTS (SELECT 1 FROM requested_object WHERE requested_object.sample = sample.id)
    """

  /// - Throws: `MismatchError` or `BlockError`. The caller must then roll back the transaction.
  func pack(_ encode: (SampleBlock) throws -> [UInt8]) throws -> PackedHour {
    var rows = try rows()
    let (blocks, damage) = try blocks()
    // A damaged compressed segment of the hour may contain the same samples as the rows, so leave the rows
    // unchanged.
    let held = rows.isEmpty ? nil : damage
    if held != nil { rows = [] }
    let counts = blocks.map(\.count)
    // If there are rows to compact, merge only a few small segments with them: at most one segment's worth of
    // samples. Otherwise each call would rewrite all segments of a full hour.
    let merged =
      rows.isEmpty
      ? PackingLimit.merged(counts) : PackingLimit.prefix(counts, upTo: SampleBlock.capacity)
    guard rows.count >= PackingLimit.fewest || merged > 0 else {
      if let held { throw BlockReadError.damaged(held) }
      return .nothing
    }
    let old = blocks.prefix(merged)
    var samples = rows
    for block in old { samples += try self.samples(of: block) }
    samples.sort { ($0.start, $0.change) < ($1.start, $1.change) }
    let parts = PackingLimit.parts(of: samples.count)
    var bytes = 0
    for part in parts { bytes += try insert(samples[part], encode) }
    // A trigger updates `sample_count`, which counts only rows and not samples in compressed segments.
    let delete = try database.cachedStatement(sql: "DELETE FROM sample WHERE id = ?")
    for row in rows { try delete.execute(arguments: [row.change]) }
    for block in old { try database.deleteBlock(block.header.id) }
    let small = old.map(\.count).filter { $0 < PackingLimit.fewest }.reduce(0, +)
    return .packed(rows: rows.count + small, blocks: parts.count, samples: samples.count, bytes: bytes)
  }

  // MARK: - Reading

  private func rows() throws -> [Sample] {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT id, start, ifnull(end, start), value, uuid FROM sample
          WHERE type = ? AND unit = ? AND provenance = ? AND metadata IS ? AND start >= ? AND start < ?
            AND \(Self.eligible)
          ORDER BY start LIMIT \(PackingLimit.most)
          """),
      arguments: [
        hour.type, hour.unit, hour.provenance, hour.metadata, hour.start, hour.start + HourSummary.length,
      ])
    var samples: [Sample] = []
    while let row = try rows.next() {
      let words = (try row.decode(atIndex: 4) as UUID).words
      let start: Int64 = try row.decode(atIndex: 1)
      samples.append(
        Sample(
          change: try row.decode(atIndex: 0), start: start, duration: try row.decode(atIndex: 2) - start,
          value: try row.decode(atIndex: 3), identity: .words(high: words.high, low: words.low)))
    }
    return samples
  }

  /// Returns the hour's compressed segments that are not full, smallest first, and the reason if one of them
  /// cannot be read.
  private func blocks() throws -> (blocks: [StoredBlock], damage: String?) {
    var (blocks, damage) = ([StoredBlock](), String?.none)
    let ids = try SegmentsWithRoom.ids(hour, in: database)
    for id in ids {
      guard !damaged.torn.contains(id) else {
        damage = damaged.text(of: id) ?? damage
        continue
      }
      do throws(BlockReadError) {
        if let block = try reader.block(id, where: { $0 == hour.kind }) {
          _ = try reader.identities(of: block)
          blocks.append(block)
        }
      } catch {
        guard case .damaged(let text) = error else { throw error.storageFailure }
        damaged.note(id, text)
        damage = text
      }
    }
    return (blocks, damage)
  }

  private func samples(of block: StoredBlock) throws -> [Sample] {
    do {
      let identities = try block.identities()
      return try block.starts.indices.map { position in
        var identity = Sample.Identity.encoded(identities[position])
        // The new compressed segment computes UUIDs from the address in the source's bundle identifier. If
        // the old segment has another address, store the whole UUIDs.
        if block.address != encoder.address {
          let words = try block.uuid(at: position)
          identity = .words(high: words.high, low: words.low)
        }
        return Sample(
          change: block.changes[position], start: block.starts[position],
          duration: block.durations?[position] ?? 0,
          value: block.values[position], identity: identity)
      }
    } catch let error as StoredBlockError {
      throw reader.failure(block.header, error)
    }
  }

  // MARK: - Writing

  /// Writes samples as a compressed segment, then reads it back and compares it with them.
  /// - Returns: The size of the segment in bytes.
  private func insert(
    _ samples: ArraySlice<Sample>, _ encode: (SampleBlock) throws -> [UInt8]
  ) throws -> Int {
    var block = SampleBlock(reservingCapacity: samples.count)
    var identities = encoder
    for sample in samples {
      let end = sample.start + sample.duration
      let identity: PackedIdentity
      switch sample.identity {
      case .encoded(let known):
        identity = known
        identities.skip(value: sample.value, end: end)
      case .words(let high, let low):
        identity = identities.pack(high: high, low: low, value: sample.value, end: end)
      }
      block.append(
        start: sample.start, duration: sample.duration, value: sample.value, change: sample.change,
        identity: identity)
    }
    block.monitor = identities.address
    let bytes = try encode(block)
    try compare(block, with: BlockInsertion(in: database).insert(block, bytes, hour.kind.references))
    return bytes.count
  }

  /// Reads back the written compressed segment like a query, and compares it with the original samples.
  private func compare(_ block: SampleBlock, with id: Int64) throws {
    let (read, identities): (StoredBlock, [PackedIdentity])
    do throws(BlockReadError) {
      let block = try reader.block(id)
      (read, identities) = (block, try reader.identities(of: block))
    } catch {
      guard case .damaged(let text) = error else { throw error.storageFailure }
      throw MismatchError(text: text)
    }
    guard read.starts == block.starts, read.changes == block.changes,
      read.durations ?? Array(repeating: 0, count: read.count) == block.durations,
      read.values.elementsEqual(block.values, by: { $0.bitPattern == $1.bitPattern }),
      identities == block.identities, read.address == block.monitor
    else { throw MismatchError.unequal }
  }
}

extension Database {
  /// Deletes a compressed segment.
  func deleteBlock(_ id: Int64) throws {
    try cachedStatement(sql: "DELETE FROM block WHERE id = ?").execute(arguments: [id])
  }
}
