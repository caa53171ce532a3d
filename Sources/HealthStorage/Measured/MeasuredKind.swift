/// What quantities that a monitor measures share: type, unit, provenance and metadata.
///
/// An object, so that all of a run's share one: it is looked up once for each batch.
package final class MeasuredKind: Sendable {
  /// The identifier of the object type.
  package let type: String
  package let unit: String
  package let provenance: Provenance
  package let metadata: EncodedMetadata?
  /// The address from which identities follow.
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
