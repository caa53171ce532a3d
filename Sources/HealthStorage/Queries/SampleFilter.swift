package import Foundation

/// A filter for samples, which is translated to SQL with bound arguments.
///
/// Times are microseconds since 1970. An empty set matches nothing.
package indirect enum SampleFilter: Hashable, Sendable {
  case everything
  case nothing
  /// Samples of the type with this identifier.
  case type(String)
  case uuids(Set<UUID>)
  case startsBefore(Int64)
  case startsFrom(Int64)
  case endsBefore(Int64)
  case endsFrom(Int64)
  /// Samples that were stored after this position in the change log.
  case storedAfter(Int64)
  /// Category samples whose value fulfills a comparison.
  case category(ValueComparison, Int)
  /// Quantity samples whose value fulfills a comparison. The units must be convertible. NaN never matches.
  case quantity(ValueComparison, value: Double, unit: String)
  /// Samples of sources with these bundle identifiers.
  case sources(Set<String>)
  case revisions(Set<RevisionPattern>)
  /// Samples of these devices. All eight fields must be equal; a missing field only equals a missing field.
  case devices(Set<DeviceRecord>)
  /// Samples of devices that have one of these values in a field. An empty set selects devices without a
  /// value in this field.
  case deviceField(DeviceRecord.Field, Set<String>)
  /// Samples whose metadata fulfills a condition, which ``Interpretation`` evaluates.
  case metadata(EncodedCondition)
  /// Archived samples of these types that fulfill a condition, which ``Interpretation`` evaluates.
  case archived(types: Set<String>, EncodedCondition)
  /// Like `archived`, but the condition also depends on the quantities in the container.
  case container(types: Set<String>, EncodedCondition)
  /// The samples in a container.
  case members(of: UUID)
  /// The samples that belong to an activity (`part`) in a container.
  case related(to: UUID, part: UUID)
  /// The samples in any container of these types.
  case held(byTypes: Set<String>)
  /// Correlations and other containers that contain a matching sample.
  case holding(SampleFilter)
  case all([SampleFilter])
  case any([SampleFilter])
  case not(SampleFilter)
}

/// Selects source revisions by some of their fields.
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
  /// The version as "major.minor.patch".
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
