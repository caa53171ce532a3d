import PackedSamples

/// One hour of UTC of one kind of samples, which a segment can hold together. The numbers are ids of the
/// store's rows.
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

/// The result of compacting an hour.
package enum PackedHour: Hashable, Sendable {
  /// There is nothing to compact.
  case nothing
  /// `rows` is the number of samples that were rows or in segments of fewer than `PackingLimit.fewest`
  /// samples. `blocks`, `samples` and `bytes` are the sizes of the segments that were written.
  case packed(rows: Int, blocks: Int, samples: Int, bytes: Int)
  /// The written segments did not read as the original samples, so nothing was changed. The text is the
  /// reason.
  case differs(String)
}

package enum PackingLimit {
  /// Fewer rows of a kind in an hour stay rows.
  package static let fewest = 64
  /// Maximum number of rows to compact in one transaction, which take some tens of milliseconds.
  package static let most = 8192
  /// Maximum number of samples in segments to merge in one transaction. They take less time than rows,
  /// because they are not hashed.
  static let mostMerged = 16_384

  /// The number of segments to merge into fewer ones.
  /// - Parameters:
  ///   - counts: The numbers of samples in the segments of an hour that have room, in ascending order.
  ///   - limit: Maximum number of samples.
  /// - Returns: 0 if no two of them fit into one. Otherwise merging saves at least one segment, and of the
  ///   segments that are written no two fit into one.
  static func merged(_ counts: [Int], upTo limit: Int = mostMerged) -> Int {
    guard counts.count > 1, counts[0] + counts[1] <= SampleBlock.capacity else { return 0 }
    return prefix(counts, upTo: limit)
  }

  /// The number of first elements whose sum is within a limit.
  static func prefix(_ counts: [Int], upTo limit: Int) -> Int {
    var sum = 0
    return counts.prefix { count in
      sum += count
      return sum <= limit
    }.count
  }
}
