import Foundation
import GRDB

/// Reads the samples in compressed segments in the order of their start, without SQL. Through the virtual
/// table `packed_sample`, half of the time would be spent on passing column values. Use it only inside the
/// database access in which it was created.
struct PackedRecords {
  /// What all samples of a compressed segment have in common.
  private struct Facts {
    let block: StoredBlock
    /// The filter's results that are the same for all samples of the compressed segment; `nil` if none of
    /// them matches.
    let results: [Bool]?
    let type: String
    let unit: String
    let provenance: Provenance
    let metadata: EncodedMetadata?
  }

  private let filter: BlockFilter
  private let cursor: PackedSampleCursor
  private let isAscending: Bool
  private var facts: Facts?

  /// - Parameter visible: What the application may see; `nil` for hrgate itself.
  /// - Returns: `nil` if another order is requested, or if the filter has to be evaluated for each sample.
  init?(
    _ filter: SampleFilter, among visible: Visibility?, _ order: [SampleOrder], in database: Database
  ) throws {
    guard order.count == 1, case .start(let ascending)? = order.first,
      filter.isAlikeWithinBlocks, visible?.samples(in: filter).isAlways ?? true
    else { return nil }
    let filter = try BlockFilter(filter, in: database)
    self.filter = filter
    isAscending = ascending
    do throws(BlockReadError) {
      var request = try filter.blocks(in: database)
      request.isDescending = !ascending
      cursor = try PackedSampleCursor(request, BlockReader(in: database).connection) { kind in
        // If the filter's query fails, return `true`, so that the error is reported when the compressed
        // segment is read.
        do { return try filter.results(of: kind) != nil } catch { return true }
      }
    } catch {
      throw error.storageFailure
    }
  }

  /// - Parameters:
  ///   - position: The position of the next sample that is stored as a row. Only samples before it are read;
  ///     `nil` for all.
  ///   - left: Maximum number of samples. It is decreased by the number of samples that were read.
  mutating func forEach(
    before position: SeriesMerge.Position?, _ left: inout Int, _ cache: inout ReadCache,
    _ body: (SampleRecord) throws -> Void
  ) throws {
    while left > 0, let block = cursor.block {
      if let position {
        let next = SeriesMerge.Position(
          start: block.starts[cursor.position], sample: block.changes[cursor.position])
        guard isAscending ? next < position : position < next else { return }
      }
      if let record = try record(block, cursor.position, &cache) {
        try body(record)
        left -= 1
      }
      do throws(BlockReadError) { try cursor.advance() } catch { throw error.storageFailure }
    }
  }

  private mutating func record(
    _ block: StoredBlock, _ position: Int, _ cache: inout ReadCache
  ) throws -> SampleRecord? {
    let facts = try facts(block, &cache)
    let (start, end) = (block.starts[position], block.end(at: position))
    guard let results = facts.results, filter.times.admits(start: start, end: end, results) else {
      return nil
    }
    let uuid: (high: UInt64, low: UInt64)?
    do throws(BlockReadError) { uuid = try cursor.uuid() } catch { throw error.storageFailure }
    guard let uuid else { return nil }
    return SampleRecord(
      uuid: UUID(words: uuid), type: facts.type, start: start, end: end, provenance: facts.provenance,
      metadata: facts.metadata, content: .quantity(value: block.values[position], unit: facts.unit))
  }

  private mutating func facts(_ block: StoredBlock, _ cache: inout ReadCache) throws -> Facts {
    if let facts, facts.block === block { return facts }
    let kind = block.header.kind
    let found = Facts(
      block: block, results: try filter.results(of: kind), type: try cache.type(kind.type),
      unit: try cache.unit(kind.unit), provenance: try cache.provenance(kind.provenance),
      metadata: try kind.metadata.map { try cache.metadata($0) })
    facts = found
    return found
  }
}
