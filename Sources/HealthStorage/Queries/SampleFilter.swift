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

/// Matches source revisions by some of their fields.
package struct RevisionPattern: Hashable, Sendable {
  /// The condition on a field.
  package enum Match<Value: Hashable & Sendable>: Hashable, Sendable {
    case anything
    case exactly(Value)
  }

  /// The bundle identifier.
  package var source: String
  package var version: Match<String?>
  package var productType: Match<String?>
  /// "major.minor.patch".
  package var operatingSystem: Match<String>

  package init(
    source: String, version: Match<String?>, productType: Match<String?>, operatingSystem: Match<String>
  ) {
    self.source = source
    self.version = version
    self.productType = productType
    self.operatingSystem = operatingSystem
  }
}

/// A comparison of two numbers. The raw value is the SQL operator.
package enum ValueComparison: String, Hashable, Codable, Sendable {
  case less = "<"
  case lessOrEqual = "<="
  case equal = "="
  case notEqual = "<>"
  case greaterOrEqual = ">="
  case greater = ">"

  package func holds<Number: Comparable>(_ one: Number, _ other: Number) -> Bool {
    switch self {
    case .less: one < other
    case .lessOrEqual: one <= other
    case .equal: one == other
    case .notEqual: one != other
    case .greaterOrEqual: one >= other
    case .greater: one > other
    }
  }
}
