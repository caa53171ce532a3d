import Foundation
import GRDB
import PackedSamples

extension SampleDatabase {
  /// Packs the rows of an hour into blocks, together with the blocks that the hour has already, in one
  /// transaction. No answer to any question changes by it.
  ///
  /// What was packed is read back from the store and compared with the rows before they are deleted. A sample
  /// that something else refers to, or whose UUID is not that of a gateway, stays a row.
  /// - Returns: what became of it.
  /// An hour of very many rows is packed in several calls: each takes so many (`PackingLimit.most`), that
  /// nobody who wants to write waits long.
  /// - Throws: `StorageError`; `.damagedBlock` where one that the hour has cannot be read,
  ///   `.earlierProgram` where a program that knows no blocks may have the store open. Then, and whenever the
  ///   process ends, all is as it was.
  package func packHour(_ hour: PackableHour) async throws -> PackedHour {
    try await packHour(hour) { try $0.encoded() }
  }

  /// - Parameter encode: tests break it.
  func packHour(
    _ hour: PackableHour, _ encode: @escaping @Sendable (SampleBlock) throws -> [UInt8]
  ) async throws -> PackedHour {
    try await writeInOwnTransaction { database in
      try Self.packing(database) {
        try HourPacking(hour, in: database).pack(encode) {
          try PackingCompatibility(in: database).require(forStoreAt: path)
        }
      }
    }
  }

  /// The hours in a time of which there is something to pack: rows enough for a block, or one that goes into
  /// a block that is there.
  /// - Parameter time: whole hours, in microseconds since 1970; what starts in them is looked at. The work
  ///   grows with the rows in it.
  /// - Returns: in order of time.
  package func packableHours(in time: Range<Int64>) async throws -> [PackableHour] {
    try await read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT type, unit, provenance, metadata, start / \(HourSummary.length) * \(HourSummary.length)
          FROM sample
          WHERE type IN (SELECT id FROM object_type) AND start >= ? AND start < ? AND \(HourPacking.eligible)
          GROUP BY 5, 1, 2, 3, 4
          HAVING count(*) >= \(PackingLimit.fewest) OR EXISTS (
            SELECT 1 FROM block WHERE block.type = sample.type AND block.unit = sample.unit
              AND block.count < \(SampleBlock.capacity) AND block.provenance = sample.provenance AND block.metadata IS sample.metadata
              AND block.start >= sample.start / \(HourSummary.length) * \(HourSummary.length)
              AND block.start < (sample.start / \(HourSummary.length) + 1) * \(HourSummary.length))
          ORDER BY 5, 1, 2, 3, 4
          """,
        arguments: [max(time.lowerBound, 0), time.upperBound])
      return try rows.map { row in
        try PackableHour(
          type: row.decode(atIndex: 0), unit: row.decode(atIndex: 1), provenance: row.decode(atIndex: 2),
          metadata: row.decode(atIndex: 3), start: row.decode(atIndex: 4))
      }
    }
  }
}

/// One hour being packed, inside its transaction.
struct HourPacking {
  /// What was packed is not what was to be packed.
  struct Difference: Error {
    static let unequal = Difference(text: "what was packed is not what was to be packed")

    let text: String
  }

  /// A sample as it is to be read back.
  private struct Sample: Equatable {
    var change: Int64
    var start: Int64
    var end: Int64
    /// Bit by bit.
    var value: UInt64
    var high: UInt64
    var low: UInt64
  }

  private let hour: PackableHour
  private let database: Database
  private let reader: BlockReader

  init(_ hour: PackableHour, in database: Database) {
    self.hour = hour
    self.database = database
    reader = BlockReader(in: database)
  }

  /// A condition on rows of `sample`: quantities that nothing else refers to, that lie within an hour after
  /// 1970, and whose UUID is of version 8 and names the millisecond in which they end.
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

  /// - Parameter permit: called before the first block is written.
  /// - Throws: `Difference`, `BlockError`: nothing may be committed then.
  func pack(_ encode: (SampleBlock) throws -> [UInt8], permit: () throws -> Void) throws -> PackedHour {
    let rows = try rows()
    let old = try oldBlocks()
    guard !rows.isEmpty, !old.isEmpty || rows.count >= PackingLimit.fewest else { return .nothing }
    try permit()
    var samples = rows
    for id in old { samples += try self.samples(ofBlock: id) }
    samples.sort { ($0.start, $0.change) < ($1.start, $1.change) }
    var outcome = (blocks: 0, bytes: 0)
    for start in stride(from: 0, to: samples.count, by: SampleBlock.capacity) {
      let part = samples[start..<min(start + SampleBlock.capacity, samples.count)]
      outcome.bytes += try insert(part, encode)
      outcome.blocks += 1
    }
    let delete = try database.cachedStatement(sql: "DELETE FROM sample WHERE id = ?")
    for row in rows { try delete.execute(arguments: [row.change]) }
    // The trigger takes each deleted row for a sample that is gone.
    try database.cachedStatement(
      sql: "UPDATE sample_count SET count = count + ? WHERE type = ? AND provenance = ?"
    ).execute(arguments: [rows.count, hour.type, hour.provenance])
    for id in old { try PackedRows(in: database).delete(.block(id)) }
    return .packed(rows: rows.count, blocks: outcome.blocks, samples: samples.count, bytes: outcome.bytes)
  }

  // MARK: - Reading

  private var key: StatementArguments {
    [hour.type, hour.unit, hour.provenance, hour.metadata, hour.start, hour.start + HourSummary.length]
  }

  private func rows() throws -> [Sample] {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT id, start, ifnull(end, start), value, uuid FROM sample
          WHERE type = ? AND unit = ? AND provenance = ? AND metadata IS ? AND start >= ? AND start < ?
            AND \(Self.eligible)
          ORDER BY start LIMIT \(PackingLimit.most)
          """), arguments: key)
    var samples: [Sample] = []
    while let row = try rows.next() {
      let words = (try row.decode(atIndex: 4) as UUID).words
      let value: Double = try row.decode(atIndex: 3)
      samples.append(
        try Sample(
          change: row.decode(atIndex: 0), start: row.decode(atIndex: 1), end: row.decode(atIndex: 2),
          value: value.bitPattern, high: words.high, low: words.low))
    }
    return samples
  }

  /// The blocks that the hour has already and that have room, those with the most of it.
  private func oldBlocks() throws -> [Int64] {
    try Int64.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT id FROM block INDEXED BY block_start
          WHERE type = ? AND unit = ? AND provenance = ? AND metadata IS ? AND start >= ? AND start < ?
            AND count < \(SampleBlock.capacity)
          ORDER BY count LIMIT \(PackingLimit.mostBlocks)
          """), arguments: key)
  }

  private func samples(ofBlock id: Int64) throws -> [Sample] {
    try reader.blocks(.block(id)).flatMap { try samples(of: $0) }
  }

  private func samples(of block: StoredBlock) throws -> [Sample] {
    do {
      return try (0..<block.count).map { place in
        let words = try block.uuid(at: place)
        return Sample(
          change: block.changes[place], start: block.starts[place], end: block.end(at: place),
          value: block.values[place].bitPattern, high: words.high, low: words.low)
      }
    } catch let flaw as StoredBlockError {
      throw reader.failure(block.header, flaw)
    }
  }

  // MARK: - Writing

  /// - Returns: how many bytes the block has.
  private func insert(
    _ samples: ArraySlice<Sample>, _ encode: (SampleBlock) throws -> [UInt8]
  ) throws -> Int {
    var block = SampleBlock(reservingCapacity: samples.count)
    var identities = try IdentityPacking(provenance: hour.provenance, in: database)
    for sample in samples {
      let value = Double(bitPattern: sample.value)
      block.append(
        start: sample.start, duration: sample.end - sample.start, value: value, change: sample.change,
        identity: identities.pack(high: sample.high, low: sample.low, value: value, end: sample.end))
    }
    block.monitor = identities.address
    let bytes = try encode(block)
    let references = SampleInsertion.References(
      type: hour.type, provenance: hour.provenance, metadata: hour.metadata, unit: hour.unit)
    try compare(samples, withBlock: BlockInsertion(in: database).insert(block, bytes, references))
    return bytes.count
  }

  /// Reads a block as whoever asks for its samples will.
  private func compare(_ samples: ArraySlice<Sample>, withBlock id: Int64) throws {
    let read: [Sample]
    do {
      read = try self.samples(ofBlock: id)
    } catch BlockReadError.damaged(let text) {
      throw Difference(text: text)
    }
    guard read.elementsEqual(samples) else { throw Difference.unequal }
  }
}
