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
  /// Category samples by their value.
  case category(ValueComparison, Int)
  /// Bundle identifiers.
  case sources(Set<String>)
  /// All eight fields equal, absent ones included.
  case devices(Set<DeviceRecord>)
  /// Correlations (and other containers) that hold a matching sample.
  case holding(SampleFilter)
  case all([SampleFilter])
  case any([SampleFilter])
  case not(SampleFilter)
}
