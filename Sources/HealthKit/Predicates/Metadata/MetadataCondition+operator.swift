import Foundation
import HealthStorage

extension SampleFilter {
  /// Samples whose metadata value of the key compares this way with another value.
  ///
  /// `notEqualTo` is the opposite of `equalTo`, as in a predicate format: it includes samples that lack the
  /// key or have a value of another kind. Compared with nil, the two ask whether the key is absent or
  /// present.
  /// - Throws: for an operator that the store does not support, or a value that does not fit the operator.
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
  /// - Precondition: The operator is not `notEqualTo`, which `SampleFilter.comparingMetadata(_:_:_:)` turns
  ///   around.
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
        throw HKValidationError(.invalidArgument, "between requires an array of two values")
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
      throw HKValidationError(.invalidArgument, "the operator requires a String")
    }
    return text
  }

  private static func list(_ value: Any) throws(HKValidationError) -> [Any] {
    if let values = value as? [Any] { return values }
    guard let values = value as? Set<AnyHashable> else {
      throw HKValidationError(.invalidArgument, "the operator requires an array or a set of values")
    }
    return values.map(\.base)
  }
}

extension AllowedMetadata {
  /// - Throws: for a value that metadata cannot have.
  init(_ values: [Any], forKey key: String) throws(HKValidationError) {
    var allowed: [MetadataValue] = []
    for value in values { allowed.append(try MetadataValue(value, forKey: key)) }
    self.init(allowed)
  }
}
