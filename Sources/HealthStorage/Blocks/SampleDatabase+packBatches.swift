import Foundation
import GRDB
import PackedSamples

extension SampleDatabase {
  /// Makes blocks of what was committed in an hour, together with the blocks that the hour has already, in
  /// one transaction; of what is too little for a block rows. No answer to any question changes by it.
  ///
  /// What was packed is read back from the store and compared before the batches are deleted. One that
  /// cannot be read is told, and stays. An hour of very many samples is packed in several calls: each takes
  /// so many (`PackingLimit.mostOfBatches`), that nobody who wants to write waits long.
  /// - Parameter hour: when it begins, in microseconds since 1970.
  /// - Throws: as `packHour(_:)`.
  package func packBatches(in hour: Int64) async throws -> PackedHour {
    try await packBatches(in: hour) { try $0.encoded() }
  }

  /// - Parameter encode: tests break it.
  func packBatches(
    in hour: Int64, _ encode: @escaping @Sendable (SampleBlock) throws -> [UInt8]
  ) async throws -> PackedHour {
    try await writeInOwnTransaction { database in
      try damagedBlocks.retrying {
        try Self.packing(database) {
          try BatchPacking(hour, in: database, damagedBlocks).pack(encode) {
            try PackingCompatibility(in: database).require(forStoreAt: path)
          }
        }
      }
    }
  }

  /// A transaction that packs; what does not compare is undone, and told.
  static func packing(_ database: Database, _ pack: () throws -> PackedHour) throws -> PackedHour {
    var outcome = PackedHour.nothing
    try database.inTransaction(.immediate) {
      do {
        outcome = try pack()
        return .commit
      } catch let flaw as BlockError {
        outcome = .differs("\(flaw)")
      } catch let difference as HourPacking.Difference {
        outcome = .differs(difference.text)
      } catch let failure as BlockReadError {
        throw failure.storageFailure
      }
      return .rollback
    }
    return outcome
  }
}

/// The batches of one hour being packed, inside their transaction.
private struct BatchPacking {
  private struct Key: Hashable {
    let kind: BlockKind
    /// Of whom the samples are: identities follow from it.
    let address: String?
  }

  private struct Sample {
    let start: Int64
    let duration: Int64
    let value: Double
    let change: Int64
    let identity: PackedIdentity
  }

  private let hour: Int64
  private let database: Database
  private let reader: BlockReader
  private let damaged: DamagedBlocks

  init(_ hour: Int64, in database: Database, _ damaged: DamagedBlocks) {
    self.hour = hour
    self.database = database
    self.damaged = damaged
    reader = BlockReader(in: database)
  }

  /// - Parameter permit: called before the first block is written.
  /// - Throws: `HourPacking.Difference`, `BlockError`: nothing may be committed then.
  func pack(_ encode: (SampleBlock) throws -> [UInt8], permit: () throws -> Void) throws -> PackedHour {
    var (kinds, batches, count) = ([Key: [Sample]](), [PackedRow](), 0)
    // Of each monitor what it measured last.
    var last: [String: StoredBlock] = [:]
    for row in try rows() where !damaged.torn.contains(row) {
      do {
        let blocks = try reader.blocks(row)
        let its = blocks.map(\.count).reduce(0, +)
        guard batches.isEmpty || count + its <= PackingLimit.mostOfBatches else { break }
        // All of them, or none.
        let samples = try blocks.map { try self.samples(of: $0) }
        for (block, samples) in zip(blocks, samples) {
          kinds[Key(kind: block.header.kind, address: block.address), default: []] += samples
          guard let address = block.address else { continue }
          if last[address].map({ $0.header.end < block.header.end }) ?? true { last[address] = block }
        }
        batches.append(row)
        count += its
      } catch BlockReadError.damaged(let text) {
        damaged.note(row, text)
      }
    }
    guard !batches.isEmpty else { return .nothing }
    try permit()
    for last in last.values { try SampleDatabase.noteMeasurement(last, in: database) }
    var outcome = (blocks: 0, samples: 0, bytes: 0)
    var counts = SampleCounts()
    // In one order, whatever a dictionary's is.
    for (key, new) in kinds.sorted(by: { $0.value[0].change < $1.value[0].change }) {
      let old = try blocksWithRoom(key)
      counts.add(key.kind.references, new.count)
      guard !old.isEmpty || new.count >= PackingLimit.fewest else {
        try insertRows(new, key)
        continue
      }
      let samples = (new + old.flatMap(\.samples))
        .sorted { ($0.start, $0.change) < ($1.start, $1.change) }
      for start in stride(from: 0, to: samples.count, by: SampleBlock.capacity) {
        let part = samples[start..<min(start + SampleBlock.capacity, samples.count)]
        outcome.bytes += try insert(part, key, encode)
        outcome.blocks += 1
      }
      outcome.samples += samples.count
      for (row, _) in old { try PackedRows(in: database).delete(row) }
    }
    for row in batches { try PackedRows(in: database).delete(row) }
    try counts.flush(in: database)
    return .packed(rows: count, blocks: outcome.blocks, samples: outcome.samples, bytes: outcome.bytes)
  }

  // MARK: - Reading

  /// By the index alone: a page of the table may be unreadable.
  private func rows() throws -> [PackedRow] {
    try Int64.fetchAll(
      database,
      sql: """
        SELECT id FROM batch INDEXED BY batch_start WHERE start >= ? AND start < ?
        ORDER BY id LIMIT \(PackingLimit.mostOfBatches)
        """, arguments: [hour, hour + HourSummary.length]
    ).map(PackedRow.batch)
  }

  private func samples(of block: StoredBlock) throws -> [Sample] {
    let identities: [PackedIdentity]
    do throws(StoredBlockError) {
      identities = try block.identities()
    } catch {
      throw reader.failure(block.header, error)
    }
    return block.starts.indices.map { place in
      Sample(
        start: block.starts[place], duration: block.durations?[place] ?? 0, value: block.values[place],
        change: block.changes[place], identity: identities[place])
    }
  }

  /// The blocks that the hour has already and that have room, those with the most of it. One that cannot be
  /// read has none, and holds nobody up.
  private func blocksWithRoom(_ key: Key) throws -> [(row: PackedRow, samples: [Sample])] {
    // By the index alone, as batches are.
    let rows = try Int64.fetchAll(
      database.cachedStatement(
        sql: "SELECT id FROM block INDEXED BY block_start WHERE type = ? AND start >= ? AND start < ?"),
      arguments: [key.kind.type, hour, hour + HourSummary.length])
    var blocks: [(row: PackedRow, samples: [Sample])] = []
    for row in rows.map(PackedRow.block) where !damaged.torn.contains(row) {
      do {
        for block in try reader.blocks(row, where: { $0 == key.kind }) {
          guard block.count < SampleBlock.capacity, block.address == key.address else { continue }
          blocks.append((row, try samples(of: block)))
        }
      } catch BlockReadError.damaged(let text) {
        damaged.note(row, text)
      }
    }
    return blocks.sorted { $0.samples.count < $1.samples.count }.prefix(PackingLimit.mostBlocks).map(\.self)
  }

  // MARK: - Writing

  /// - Returns: how many bytes the block has.
  private func insert(
    _ samples: ArraySlice<Sample>, _ key: Key, _ encode: (SampleBlock) throws -> [UInt8]
  ) throws -> Int {
    var block = SampleBlock(reservingCapacity: samples.count)
    for sample in samples {
      block.append(
        start: sample.start, duration: sample.duration, value: sample.value, change: sample.change,
        identity: sample.identity)
    }
    block.monitor = key.address
    let bytes = try encode(block)
    let row = try BlockInsertion(in: database).insert(block, bytes, key.kind.references)
    try compare(block, with: row)
    return bytes.count
  }

  /// Reads a block as whoever asks for its samples will.
  private func compare(_ block: SampleBlock, with row: Int64) throws {
    let read: StoredBlock?
    let identities: [PackedIdentity]?
    do {
      read = try reader.blocks(.block(row)).first
      identities = try read?.identities()
    } catch BlockReadError.damaged(let text) {
      throw HourPacking.Difference(text: text)
    }
    guard let read, read.starts == block.starts, read.changes == block.changes,
      read.durations ?? Array(repeating: 0, count: read.count) == block.durations,
      read.values.elementsEqual(block.values, by: { $0.bitPattern == $1.bitPattern }),
      identities == block.identities, read.address == block.monitor
    else { throw HourPacking.Difference.unequal }
  }

  private func insertRows(_ samples: [Sample], _ key: Key) throws {
    var monitor = key.address.map { MeasuredIdentity(monitor: $0) }
    let insert = try PackedSampleRow(in: database)
    for sample in samples {
      let end = sample.start + sample.duration
      var words = sample.identity.words(end: end)
      if words == nil, case .derived(let occurrence) = sample.identity {
        words = monitor?.words(ofHeartRate: sample.value, at: end, occurrence: occurrence)
      }
      guard let words else { throw HourPacking.Difference(text: "\(StoredBlockError.identity)") }
      try insert(
        sample.change, UUID(words: words), from: sample.start, to: end, value: sample.value, key.kind)
    }
  }
}
