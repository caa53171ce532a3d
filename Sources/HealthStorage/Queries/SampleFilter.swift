package import Foundation

/// Which samples a question is about: a value that becomes SQL with bound arguments.
///
/// Times are microseconds since 1970. An empty set matches nothing.
package indirect enum SampleFilter: Hashable, Sendable {
  case everything
  case nothing
  /// The identifier of an object type.
  case type(String)
  case uuids(Set<UUID>)
  case startsBefore(Int64)
  case startsFrom(Int64)
  case endsBefore(Int64)
  case endsFrom(Int64)
  /// Stored after a place in the change log.
  case storedAfter(Int64)
  /// Category samples by their value.
  case category(ValueComparison, Int)
  /// Quantity samples by their value, which is compared where the units convert into each other. Nothing
  /// compares with NaN.
  case quantity(ValueComparison, value: Double, unit: String)
  /// Bundle identifiers.
  case sources(Set<String>)
  case revisions(Set<RevisionPattern>)
  /// All eight fields equal, absent ones included.
  case devices(Set<DeviceRecord>)
  /// Of a device that has one of these texts in a field; an empty set: of a device that has nothing there.
  case deviceField(DeviceRecord.Field, Set<String>)
  /// Samples with metadata for which a condition of the layer above holds.
  case metadata(EncodedCondition)
  /// Samples of some types, stored as archives, for which a condition of the layer above holds.
  case archived(types: Set<String>, EncodedCondition)
  /// The same, for a condition that has to do with the quantities that belong to the object.
  case container(types: Set<String>, EncodedCondition)
  /// What belongs to a container.
  case members(of: UUID)
  /// What is related to a part of a container.
  case related(to: UUID, part: UUID)
  /// What belongs to any container of these types.
  case held(byTypes: Set<String>)
  /// Correlations (and other containers) that hold a matching sample.
  case holding(SampleFilter)
  case all([SampleFilter])
  case any([SampleFilter])
  case not(SampleFilter)
}
