package import Foundation

/// A sample to be stored or read from the store.
package struct SampleRecord: Hashable, Sendable {
  /// The content of a sample.
  package enum Content: Hashable, Sendable {
    /// A value in the unit in which it was saved.
    case quantity(value: Double, unit: String)
    /// Several consecutive quantities in one sample.
    case quantitySeries(QuantitySeries)
    /// Heartbeats, encoded by `HeartbeatCodec`. `beats` is `nil` in query results, because it can be large.
    case heartbeatSeries(count: Int, beats: [UInt8]?)
    /// Locations, encoded by `LocationCodec`. `locations` is `nil` in query results.
    case locationSeries(count: Int, locations: [UInt8]?)
    /// The value of a category sample (the raw value of an enumeration).
    case category(Int)
    /// The samples in a correlation, which are stored separately. A sample that was replaced is included as
    /// its newer version.
    case correlation([SampleRecord])
    /// The keyed archive of any other kind of sample. If its type or times differ from those of the row, the
    /// row is authoritative.
    case archive([UInt8])
    /// The keyed archive of an electrocardiogram, and its voltages, encoded by `VoltageCodec`. Queries return
    /// only the archive.
    case recording(archive: [UInt8], voltages: [UInt8])
    /// The keyed archive of a container such as a workout, and the quantities in it. Only queries return
    /// this; the samples in it are saved separately (`SampleDatabase.save(_:associating:with:)`).
    case container(archive: [UInt8], AssociatedQuantities)
  }

  package var uuid: UUID
  /// The identifier of the object type.
  package var type: String
  /// The start in microseconds since 1970.
  package var start: Int64
  /// The end in microseconds since 1970, never before `start`.
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
