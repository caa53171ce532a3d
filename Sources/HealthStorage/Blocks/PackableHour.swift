import PackedSamples

/// Samples of one hour (UTC) that have the same type, unit, provenance and metadata, and so can be compacted
/// into one compressed segment. The numbers are row IDs.
package struct PackableHour: Hashable, Sendable {
  package var type: Int64
  package var unit: Int64
  package var provenance: Int64
  package var metadata: Int64?
  /// The start of the hour, in microseconds since 1970.
  package var start: Int64

  package init(type: Int64, unit: Int64, provenance: Int64, metadata: Int64?, start: Int64) {
    self.type = type
    self.unit = unit
    self.provenance = provenance
    self.metadata = metadata
    self.start = start
  }

  var kind: BlockKind { BlockKind(type: type, unit: unit, provenance: provenance, metadata: metadata) }
}

/// The result of compacting the samples of an hour.
package enum PackedHour: Hashable, Sendable {
  /// There is nothing to compact.
  case nothing
  /// `rows` counts the compacted samples: rows, and samples from compressed segments of fewer than
  /// `PackingLimit.fewest` samples. `blocks`, `samples` and `bytes` describe the segments that were written.
  case packed(rows: Int, blocks: Int, samples: Int, bytes: Int)
  /// The written compressed segments did not contain exactly the original samples, so nothing was changed.
  /// The text is the reason.
  case differs(String)
}

package enum PackingLimit {
  /// Minimum number of rows to compact. An hour with fewer keeps its rows.
  package static let fewest = 64
  /// Maximum number of rows to compact in one transaction. Compacting this many takes some tens of
  /// milliseconds.
  package static let most = 8192
  /// Maximum number of samples in compressed segments that are merged in one transaction. It is greater than
  /// the limit for rows (`most`), because merging does not compute the hashes of UUIDs again.
  static let mostMerged = 16_384

  /// Returns how many of an hour's compressed segments to merge, beginning with the smallest.
  /// - Parameter counts: The numbers of samples in the segments that are not full, ascending.
  /// - Returns: 0 if no two of the segments fit into one. Otherwise, merging results in fewer segments, and
  ///   no two of the results fit into one.
  static func merged(_ counts: [Int]) -> Int {
    guard counts.count > 1, counts[0] + counts[1] <= SampleBlock.capacity else { return 0 }
    return prefix(counts, upTo: mostMerged)
  }

  /// Returns how many leading elements have a sum of at most `limit`.
  static func prefix(_ counts: [Int], upTo limit: Int) -> Int {
    var sum = 0
    return counts.prefix { count in
      sum += count
      return sum <= limit
    }.count
  }

  /// Divides samples among as few segments as possible. The parts are equal, because a full segment and a
  /// small one would need more space.
  /// - Returns: The indexes of the samples of each segment.
  static func parts(of count: Int) -> [Range<Int>] {
    let parts = (count + SampleBlock.capacity - 1) / SampleBlock.capacity
    return (0..<parts).map { $0 * count / parts..<($0 + 1) * count / parts }
  }
}
