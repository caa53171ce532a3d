/// One hour of UTC of the samples that a block can hold together. The numbers are ids of the store's rows:
/// they mean nothing to another store.
package struct PackableHour: Hashable, Sendable {
  package var type: Int64
  package var unit: Int64
  package var provenance: Int64
  package var metadata: Int64?
  /// When the hour begins, in microseconds since 1970.
  package var start: Int64

  package init(type: Int64, unit: Int64, provenance: Int64, metadata: Int64?, start: Int64) {
    self.type = type
    self.unit = unit
    self.provenance = provenance
    self.metadata = metadata
    self.start = start
  }
}

/// What became of an hour that was to be packed.
package enum PackedHour: Hashable, Sendable {
  /// No row of it can be packed, or so few that a block saves nothing.
  case nothing
  /// So many rows are in blocks now. The blocks that were written hold so many samples altogether, in so many
  /// bytes.
  case packed(rows: Int, blocks: Int, samples: Int, bytes: Int)
  /// What was packed did not read as what was to be packed, and all stays as it was; why, for a person.
  case differs(String)
}

/// What a block saves nothing on.
package enum PackingLimit {
  /// A block of fewer samples takes about as much as their rows.
  package static let fewest = 64
  /// So many rows are packed in one transaction: two blocks, which take some tens of milliseconds.
  package static let most = 8192
  /// So many samples of batches are packed in one transaction, an hour of many monitors: they are not
  /// hashed again.
  package static let mostOfBatches = 131_072
  /// So many blocks that have room are written anew in one transaction.
  static let mostBlocks = 2
}
