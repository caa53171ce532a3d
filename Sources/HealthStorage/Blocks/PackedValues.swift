import GRDB
import GRDBSQLite

/// Reads the quantities in compressed segments in the order of their start, without creating rows.
///
/// A segment is decoded when its first sample may be next. If the caller can process arrays, all segments of
/// an hour are decoded together. Each segment is dropped after its last sample. Use it only inside the
/// database access in which it was created.
struct PackedValues {
  /// A compressed segment that has samples left to read.
  private final class Open: Comparable {
    let block: StoredBlock
    let isMarked: Bool
    /// The indexes of the matching samples in order; `nil` for all samples of the compressed segment in their
    /// stored order.
    let positions: [Int]?
    let count: Int
    private(set) var next = 0

    init(_ block: StoredBlock, isMarked: Bool, positions: [Int]?) {
      self.block = block
      self.isMarked = isMarked
      self.positions = positions
      count = positions?.count ?? block.count
    }

    var index: Int { positions?[next] ?? next }
    var position: SeriesMerge.Position {
      SeriesMerge.Position(start: block.starts[index], sample: block.changes[index])
    }

    /// Moves to the next matching sample of the compressed segment.
    /// - Returns: `false` after the last one.
    func advance() -> Bool {
      next += 1
      return next < count
    }

    var value: SampledValue {
      let index = index
      return SampledValue(
        start: block.starts[index], end: block.end(at: index), value: block.values[index],
        unit: block.header.kind.unit, provenance: block.header.kind.provenance, isMarked: isMarked)
    }

    /// All samples of the compressed segment as arrays; `nil` if some do not match, are not in order, or have
    /// a duration. Read this before calling `advance()`.
    var instants: PackedInstants.Part? {
      guard positions == nil, block.durations == nil else { return nil }
      return PackedInstants.Part(
        starts: block.starts, values: block.values, unit: block.header.kind.unit,
        provenance: block.header.kind.provenance)
    }

    static func == (left: Open, right: Open) -> Bool { left.position == right.position }
    static func < (left: Open, right: Open) -> Bool { left.position < right.position }
  }

  private let filter: BlockFilter
  private let reader: BlockReader
  private let search: BlockSearch
  private var marks: MetadataMarks
  private var open = BinaryHeap<Open>()

  /// - Parameters:
  ///   - filter: The filter. Its conditions, except those on times, must match all samples of a compressed
  ///     segment or none (`isAlikeWithinBlocks`).
  ///   - marking: A metadata key. Samples whose metadata has `true` for it are marked.
  init(_ filter: SampleFilter, marking: String?, in database: Database) throws {
    let filter = try BlockFilter(filter, in: database)
    self.filter = filter
    marks = MetadataMarks(key: marking, database)
    reader = BlockReader(in: database)
    do throws(BlockReadError) {
      search = try BlockSearch(try filter.blocks(in: database), reader.connection)
    } catch {
      throw error.storageFailure
    }
  }

  /// - Parameters:
  ///   - from: Skips samples that start earlier.
  ///   - position: The position of the next sample that is stored as a row. Only samples before it are read;
  ///     `nil` for all.
  ///   - instants: Called with samples that can be processed as arrays. If it returns `false`, `body` is
  ///     called for each of them.
  mutating func forEach(
    from: Int64 = .min, before position: SeriesMerge.Position?, instants: ((PackedInstants) throws -> Bool)?,
    _ body: (SampledValue) throws -> Void
  ) throws {
    while true {
      if let instants, try offer(instants, from: from, before: position) { continue }
      try openDueBlocks(from: from, before: position)
      guard let least = open.least, position.map({ least.position < $0 }) ?? true else { return }
      // Continue in this compressed segment up to the next sample of another segment.
      let second = open.elements.dropFirst().prefix(2).lazy.map(\.position.start).min() ?? .max
      let end = min(second, search.next?.bound ?? .max)
      var hasMore = true
      repeat {
        let value = least.value
        if value.start >= from { try body(value) }
        hasMore = least.advance()
      } while hasMore && least.block.starts[least.index] < end
        && (position.map { least.position < $0 } ?? true)
      open.updateLeast { _ in hasMore }
    }
  }

  /// Skips compressed segments of hours before `time` without decoding them.
  private mutating func skip(before time: Int64) throws {
    while let candidate = search.next, HourSummary.lastMoment(ofHourOf: candidate.bound) < time {
      do throws(BlockReadError) { try search.advance() } catch { throw error.storageFailure }
    }
  }

  /// Passes the samples of the next hour's compressed segments to `body` as arrays, if possible.
  /// - Returns: Whether `body` has processed them, or none of them matches. If `false`, the segments are
  ///   decoded and ready to be read.
  private mutating func offer(
    _ body: (PackedInstants) throws -> Bool, from: Int64, before position: SeriesMerge.Position?
  ) throws -> Bool {
    guard open.least == nil else { return false }
    try skip(before: from)
    guard let first = search.next?.bound, first >= from else { return false }
    let end = HourSummary.lastMoment(ofHourOf: first)
    guard position.map({ $0.start > end }) ?? true else { return false }
    var (blocks, isAny) = ([Open](), false)
    while let candidate = search.next, candidate.bound <= end, blocks.count < PackedInstants.mostParts {
      do throws(BlockReadError) { try search.advance() } catch { throw error.storageFailure }
      if let block = try opened(candidate.id) { blocks.append(block) }
      isAny = true
    }
    guard !blocks.isEmpty else { return isAny }
    if let instants = PackedInstants(blocks.map(\.instants), before: search.next?.bound),
      try body(instants)
    {
      return true
    }
    for block in blocks { open.insert(block) }
    return false
  }

  private mutating func openDueBlocks(from: Int64, before position: SeriesMerge.Position?) throws {
    try skip(before: from)
    while let candidate = search.next, position.map({ candidate.bound <= $0.start }) ?? true,
      open.least.map({ candidate.bound <= $0.position.start }) ?? true
    {
      do throws(BlockReadError) { try search.advance() } catch { throw error.storageFailure }
      if let block = try opened(candidate.id) { open.insert(block) }
    }
  }

  /// Decodes a compressed segment; returns `nil` if no sample of it matches.
  private mutating func opened(_ id: Int64) throws -> Open? {
    // An error of the filter's query, stored because the closure cannot throw it.
    var failure: (any Error)?
    let block: StoredBlock?
    do throws(BlockReadError) {
      block = try reader.readableBlock(id) { kind in
        do {
          return try filter.results(of: kind) != nil
        } catch {
          failure = error
          return false
        }
      }
    } catch {
      throw error.storageFailure
    }
    if let failure { throw failure }
    guard let block, let results = try filter.results(of: block.header.kind) else { return nil }
    let positions = positions(in: block, results)
    guard positions?.isEmpty != true else { return nil }
    return Open(block, isMarked: try marks.contain(block.header.kind.metadata ?? 0), positions: positions)
  }

  private func positions(in block: StoredBlock, _ results: [Bool]) -> [Int]? {
    let last = block.starts.last ?? block.header.start
    let isWhole = filter.times.admitsAll(starts: block.header.start...last, endsUpTo: block.header.end)
    guard !block.isInOrder || !isWhole else { return nil }
    let positions = block.starts.indices.filter {
      filter.times.admits(start: block.starts[$0], end: block.end(at: $0), results)
    }
    guard !block.isInOrder else { return positions }
    return positions.sorted { (block.starts[$0], block.changes[$0]) < (block.starts[$1], block.changes[$1]) }
  }
}
