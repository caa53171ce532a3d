/// The properties that quantities of a monitor share: type, unit, provenance (source and device) and
/// metadata.
///
/// It is a class, so that all quantities share one object, whose rows are looked up once per transaction.
package final class MeasuredKind: Sendable {
  /// The identifier of the object type.
  package let type: String
  package let unit: String
  package let provenance: Provenance
  package let metadata: EncodedMetadata?
  /// The address of the monitor, from which UUIDs are computed.
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
