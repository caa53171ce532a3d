/// Type, unit, provenance and metadata of quantities that a monitor measures.
///
/// A class, so that all quantities of a run share one object, which is looked up once per transaction.
package final class MeasuredKind: Sendable {
  /// The identifier of the object type.
  package let type: String
  package let unit: String
  package let provenance: Provenance
  package let metadata: EncodedMetadata?
  /// The address from which identities are derived.
  package let monitor: String

  package init(
    type: String, unit: String, provenance: Provenance, metadata: EncodedMetadata?, monitor: String
  ) {
    self.type = type
    self.unit = unit
    self.provenance = provenance
    self.metadata = metadata
    self.monitor = monitor
  }
}
