import PackedSamples

/// What the samples of a block share, by the ids of its rows.
struct BlockKind: Hashable, Sendable {
  var type: Int64
  var unit: Int64
  var provenance: Int64
  var metadata: Int64?

  init(type: Int64, unit: Int64, provenance: Int64, metadata: Int64?) {
    self.type = type
    self.unit = unit
    self.provenance = provenance
    self.metadata = metadata
  }

  init(_ part: PackedBatch.Part) {
    self.init(type: part.type, unit: part.unit, provenance: part.provenance, metadata: part.metadata)
  }

  var references: SampleInsertion.References {
    SampleInsertion.References(type: type, provenance: provenance, metadata: metadata, unit: unit)
  }
}
