/// What all samples of a compressed segment have in common. The numbers are IDs of rows.
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

  var references: SampleInsertion.References {
    SampleInsertion.References(type: type, provenance: provenance, metadata: metadata, unit: unit)
  }
}
