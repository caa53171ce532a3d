package import Foundation

/// A filter on samples, which is translated to SQL with bound arguments.
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
  /// Stored after a position in the change log.
  case storedAfter(Int64)
  /// Category samples by their value.
  case category(ValueComparison, Int)
  /// Quantity samples by their value; compared only if the units are convertible. NaN never matches.
  case quantity(ValueComparison, value: Double, unit: String)
  /// Bundle identifiers.
  case sources(Set<String>)
  case revisions(Set<RevisionPattern>)
  /// All eight fields must be equal, including missing ones.
  case devices(Set<DeviceRecord>)
  /// Samples of devices with one of these values in a field; an empty set matches devices without a value in
  /// it.
  case deviceField(DeviceRecord.Field, Set<String>)
  /// Samples whose metadata satisfy a condition of the layer above.
  case metadata(EncodedCondition)
  /// Archived samples of some types that satisfy a condition of the layer above.
  case archived(types: Set<String>, EncodedCondition)
  /// Like `archived`, for a condition that depends on the quantities of the object's members.
  case container(types: Set<String>, EncodedCondition)
  /// Members of a container.
  case members(of: UUID)
  /// Samples associated with a part of a container.
  case related(to: UUID, part: UUID)
  /// Members of any container of these types.
  case held(byTypes: Set<String>)
  /// Correlations and other containers with a matching member.
  case holding(SampleFilter)
  case all([SampleFilter])
  case any([SampleFilter])
  case not(SampleFilter)
}
