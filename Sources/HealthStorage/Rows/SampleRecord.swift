package import Foundation

/// One sample, to be stored or as stored.
package struct SampleRecord: Hashable, Sendable {
  /// What was measured.
  package enum Content: Hashable, Sendable {
    /// A value in the unit in which it was given.
    case quantity(value: Double, unit: String)
    /// Quantities that were measured one after another.
    case quantitySeries(QuantitySeries)
    /// Heartbeats. `beats` is what `HeartbeatCodec` wrote; a query leaves it out (`nil`), it can be large.
    case heartbeatSeries(count: Int, beats: [UInt8]?)
    /// Places. `locations` is what `LocationCodec` wrote; a query leaves it out (`nil`).
    case locationSeries(count: Int, locations: [UInt8]?)
    /// The raw value of an enumeration.
    case category(Int)
    /// Samples that are objects of their own. One that was replaced by its sync identifier is the one that
    /// replaced it.
    case correlation([SampleRecord])
    /// Anything else, as the keyed archive of the whole object. Where it contradicts its row, the row counts.
    case archive([UInt8])
    /// An archive, and beside it what `VoltageCodec` wrote. A query gives the archive alone.
    case recording(archive: [UInt8], voltages: [UInt8])
    /// An archive with the quantities of the samples that belong to it, as a query gives it. What belongs to
    /// it is told apart (`SampleDatabase.save(_:associating:with:)`).
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
