import GRDB
import GRDBSQLite

/// The quantities in blocks in order of their starts, from the columns as they lie: no row is made of any.
///
/// A block is decoded when its first sample may come next, or with the others of its hour where that can be
/// taken at once, and dropped after its last. Valid only within the
/// access that it was made in.
struct PackedValues {
  /// A block whose samples come, and which of them comes next.
  private final class Open: Comparable {
    let block: StoredBlock
    let isMarked: Bool
    /// The places of the samples that come, in order; nil for all as they lie.
    let places: [Int]?
    let count: Int
    private(set) var next = 0

    init(_ block: StoredBlock, isMarked: Bool, places: [Int]?) {
      self.block = block
      self.isMarked = isMarked
      self.places = places
      count = places?.count ?? block.count
    }

    var index: Int { places?[next] ?? next }
    var place: SeriesMerge.Place {
      SeriesMerge.Place(start: block.starts[index], sample: block.changes[index])
    }

    /// - Returns: false after the last one.
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

    /// nil unless all of it comes, as it lies, and every sample is an instant. To be asked before the first
    /// one came.
    var instants: PackedInstants.Part? {
      guard places == nil, block.durations == nil else { return nil }
      return PackedInstants.Part(
        starts: block.starts, values: block.values, unit: block.header.kind.unit,
        provenance: block.header.kind.provenance)
    }

    static func == (left: Open, right: Open) -> Bool { left.place == right.place }
    static func < (left: Open, right: Open) -> Bool { left.place < right.place }
  }

  private let filter: BlockFilter
  private let reader: BlockReader
  private let search: BlockSearch
  private var marks: MetadataMarks
  private var open = BinaryHeap<Open>()

  /// - Parameters:
  ///   - filter: one that `isAlikeWithinBlocks`.
  ///   - marking: a metadata key; samples that have `true` under it are marked.
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
  ///   - from: what starts before is left out.
  ///   - place: where the next sample of another kind comes; nil for all.
  ///   - instants: is offered what can be taken at once. What it refuses comes sample by sample.
  mutating func forEach(
    from: Int64 = .min, before place: SeriesMerge.Place?, instants: ((PackedInstants) throws -> Bool)?,
    _ body: (SampledValue) throws -> Void
  ) throws {
    while true {
      if let instants, try offer(instants, from: from, before: place) { continue }
      try openWhatIsDue(from: from, before: place)
      guard let least = open.least, place.map({ least.place < $0 }) ?? true else { return }
      // Until another block may have the next one.
      let second = open.elements.dropFirst().prefix(2).lazy.map(\.place.start).min() ?? .max
      let end = min(second, search.next?.bound ?? .max)
      var hasMore = true
      repeat {
        let value = least.value
        if value.start >= from { try body(value) }
        hasMore = least.advance()
      } while hasMore && least.block.starts[least.index] < end && (place.map { least.place < $0 } ?? true)
      open.updateLeast { _ in hasMore }
    }
  }

  /// Passes over the rows of hours that are over, which need not be decoded.
  private mutating func skip(before time: Int64) throws {
    while let candidate = search.next, HourSummary.lastMoment(ofHourOf: candidate.bound) < time {
      do throws(BlockReadError) { try search.advance() } catch { throw error.storageFailure }
    }
  }

  /// Offers what the next hour's rows hold, as far as it goes at once.
  /// - Returns: whether it was taken, or nothing of it matches. If not, it is open.
  private mutating func offer(
    _ body: (PackedInstants) throws -> Bool, from: Int64, before place: SeriesMerge.Place?
  ) throws -> Bool {
    guard open.least == nil else { return false }
    try skip(before: from)
    guard let first = search.next?.bound, first >= from else { return false }
    let end = HourSummary.lastMoment(ofHourOf: first)
    guard place.map({ $0.start > end }) ?? true else { return false }
    var (blocks, isAny) = ([Open](), false)
    while let candidate = search.next, candidate.bound <= end, blocks.count < PackedInstants.mostParts {
      do throws(BlockReadError) { try search.advance() } catch { throw error.storageFailure }
      try blocks += opened(candidate.row)
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

  private mutating func openWhatIsDue(from: Int64, before place: SeriesMerge.Place?) throws {
    try skip(before: from)
    while let candidate = search.next, place.map({ candidate.bound <= $0.start }) ?? true,
      open.least.map({ candidate.bound <= $0.place.start }) ?? true
    {
      do throws(BlockReadError) { try search.advance() } catch { throw error.storageFailure }
      for block in try opened(candidate.row) { open.insert(block) }
    }
  }

  /// - Returns: the blocks of a row in which something matches.
  private mutating func opened(_ row: PackedRow) throws -> [Open] {
    // What cannot be asked is told.
    var failure: (any Error)?
    let blocks: [StoredBlock]
    do throws(BlockReadError) {
      blocks = try reader.readableBlocks(row) { kind in
        do {
          return try filter.answers(of: kind) != nil
        } catch {
          failure = error
          return false
        }
      }
    } catch {
      throw error.storageFailure
    }
    if let failure { throw failure }
    return try blocks.compactMap { block in
      guard let answers = try filter.answers(of: block.header.kind) else { return nil }
      let places = places(in: block, answers)
      guard places?.isEmpty != true else { return nil }
      let isMarked = try marks.contain(block.header.kind.metadata ?? 0)
      return Open(block, isMarked: isMarked, places: places)
    }
  }

  private func places(in block: StoredBlock, _ answers: [Bool]) -> [Int]? {
    let last = block.starts.last ?? block.header.start
    let isWhole = filter.times.admitsAll(starts: block.header.start...last, endsUpTo: block.header.end)
    guard !block.isInOrder || !isWhole else { return nil }
    let places = block.starts.indices.filter {
      filter.times.admits(start: block.starts[$0], end: block.end(at: $0), answers)
    }
    guard !block.isInOrder else { return places }
    return places.sorted { (block.starts[$0], block.changes[$0]) < (block.starts[$1], block.changes[$1]) }
  }
}
