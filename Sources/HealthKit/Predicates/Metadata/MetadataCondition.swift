import Foundation
import HealthStorage

/// A condition on the metadata value for one key. It does not match if the key is absent.
///
/// There is no condition for `!=`. It is expressed as the negation of `==`, which also matches if the key is
/// absent.
struct MetadataCondition: Hashable, Codable, Sendable {
  /// A relation between two values. It is never true for values of different types, such as a string and a
  /// number.
  enum Relation: Hashable, Codable, Sendable {
    /// The key is present.
    case present
    case isOneOf(AllowedMetadata)
    case compares(ValueComparison, MetadataValue)
    /// The value is between two values, inclusive.
    case lies(from: MetadataValue, to: MetadataValue)
    case text(TextRelation, String, TextFolding)
  }

  let key: String
  let relation: Relation

  func holds(_ values: [String: MetadataValue]) -> Bool {
    values[key].map(holds) ?? false
  }

  private func holds(_ value: MetadataValue) -> Bool {
    switch relation {
    case .present:
      return true
    case .isOneOf(let allowed):
      return allowed.contains(value)
    case .compares(let comparison, let other):
      return value.order(to: other).map(comparison.holds) ?? false
    case .lies(let from, let to):
      guard let toFirst = value.order(to: from), let toLast = value.order(to: to) else { return false }
      return toFirst != .orderedAscending && toLast != .orderedDescending
    case .text(let relation, let other, let folding):
      guard case .string(let text) = value else { return false }
      return relation.holds(folding.folded(text), folding.folded(other))
    }
  }

  var filter: SampleFilter { .metadata(EncodedCondition(self)) }
}

/// A set of allowed metadata values.
///
/// All values except quantities are in a hash set, because the lookup runs for each sample and must be fast
/// even for many values.
struct AllowedMetadata: Hashable, Sendable {
  private let values: [MetadataValue]
  private let canonical: Set<MetadataValue>
  private let quantities: [MetadataValue]

  init(_ values: [MetadataValue]) {
    self.values = values
    canonical = Set(values.compactMap(\.canonical))
    quantities = values.filter { $0.canonical == nil }
  }

  func contains(_ value: MetadataValue) -> Bool {
    guard let form = value.canonical else {
      return quantities.contains { value.order(to: $0) == .orderedSame }
    }
    return canonical.contains(form)
  }
}

extension AllowedMetadata: Codable {
  init(from decoder: any Decoder) throws {
    self.init(try [MetadataValue](from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    try values.encode(to: encoder)
  }
}

extension SampleFilter {
  /// Returns a filter that compares the metadata value for a key with another value.
  ///
  /// `notEqualTo` is the opposite of `equalTo`: it also matches samples without the key and samples whose
  /// value has another type. A comparison with nil tests whether the key is absent or present.
  /// - Throws: `HKValidationError` if the operator is not supported or the value does not fit it.
  @available(*, deprecated)
  static func comparingMetadata(
    _ key: String, _ operatorType: NSComparisonPredicate.Operator, _ value: Any
  ) throws(HKValidationError) -> SampleFilter {
    switch operatorType {
    case .notEqualTo:
      return try comparingMetadata(key, .equalTo, value).opposite
    case .equalTo where FormatScanner.plain(value) == nil:
      return MetadataCondition(key: key, relation: .present).filter.opposite
    default:
      return try MetadataCondition(key, operatorType, value).filter
    }
  }
}

extension MetadataCondition {
  /// Creates a condition for an operator.
  /// - Precondition: The operator is not `notEqualTo`, which `SampleFilter.comparingMetadata(_:_:_:)`
  ///   handles.
  @available(*, deprecated)
  fileprivate init(
    _ key: String, _ operatorType: NSComparisonPredicate.Operator, _ value: Any
  ) throws(HKValidationError) {
    self.key = key
    switch operatorType {
    case .beginsWith: relation = .text(.beginsWith, try Self.text(value), TextFolding())
    case .endsWith: relation = .text(.endsWith, try Self.text(value), TextFolding())
    case .contains: relation = .text(.contains, try Self.text(value), TextFolding())
    case .like: relation = .text(.like, try Self.text(value), TextFolding())
    case .in: relation = .isOneOf(try AllowedMetadata(Self.list(value), forKey: key))
    case .between:
      let bounds = try Self.list(value)
      guard bounds.count == 2 else {
        throw HKValidationError(.invalidArgument, "the operator between requires an array of two values")
      }
      relation = .lies(
        from: try MetadataValue(bounds[0], forKey: key), to: try MetadataValue(bounds[1], forKey: key))
    case .matches:
      throw HKValidationError(.invalidArgument, "metadata cannot be searched with regular expressions")
    default:
      relation = .compares(try ValueComparison(operatorType), try MetadataValue(value, forKey: key))
    }
  }

  private static func text(_ value: Any) throws(HKValidationError) -> String {
    guard let text = value as? String else {
      throw HKValidationError(.invalidArgument, "this operator of a metadata predicate requires a String")
    }
    return text
  }

  private static func list(_ value: Any) throws(HKValidationError) -> [Any] {
    if let values = value as? [Any] { return values }
    guard let values = value as? Set<AnyHashable> else {
      throw HKValidationError(
        .invalidArgument, "this operator of a metadata predicate requires an array or a set of values")
    }
    return values.map(\.base)
  }
}

extension AllowedMetadata {
  /// Creates a set of allowed values.
  /// - Throws: `HKValidationError` if metadata cannot contain one of the values.
  init(_ values: [Any], forKey key: String) throws(HKValidationError) {
    var allowed: [MetadataValue] = []
    for value in values { allowed.append(try MetadataValue(value, forKey: key)) }
    self.init(allowed)
  }
}
