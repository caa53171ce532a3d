package import Foundation

/// A sample to be stored, or as stored.
package struct SampleRecord: Hashable, Sendable {
  /// The measured content.
  package enum Content: Hashable, Sendable {
    /// A value in its original unit.
    case quantity(value: Double, unit: String)
    /// Consecutive quantities.
    case quantitySeries(QuantitySeries)
    /// Heartbeats. `beats` is encoded by `HeartbeatCodec`; nil in the results of queries, because it can be
    /// large.
    case heartbeatSeries(count: Int, beats: [UInt8]?)
    /// Locations. `locations` is encoded by `LocationCodec`; nil in the results of queries.
    case locationSeries(count: Int, locations: [UInt8]?)
    /// The raw value of an enumeration.
    case category(Int)
    /// Samples that are stored separately. A member that was replaced by its sync identifier is represented
    /// by its replacement.
    case correlation([SampleRecord])
    /// Any other kind, as the keyed archive of the object. If it contradicts the row, the row is used.
    case archive([UInt8])
    /// An archive, with voltages encoded by `VoltageCodec`. Queries return only the archive.
    case recording(archive: [UInt8], voltages: [UInt8])
    /// An archive with the quantities of its members, as returned by queries. Members are saved separately
    /// (`SampleDatabase.save(_:associating:with:)`).
    case container(archive: [UInt8], AssociatedQuantities)
  }

  package var uuid: UUID
  /// The identifier of the object type.
  package var type: String
  /// Microseconds since 1970.
  package var start: Int64
  /// Microseconds since 1970, never before `start`.
  package var end: Int64
  package var provenance: Provenance
  package var metadata: EncodedMetadata?
  package var content: Content

  package init(
    uuid: UUID, type: String, start: Int64, end: Int64, provenance: Provenance,
    metadata: EncodedMetadata? = nil, content: Content
  ) {
    self.uuid = uuid
    self.type = type
    self.start = start
    self.end = end
    self.provenance = provenance
    self.metadata = metadata
    self.content = content
  }
}
