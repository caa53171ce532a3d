import Foundation
import HealthStorage

extension MetadataCondition {
  /// - Throws: for an operator that the store does not know, or a value that does not go with it.
  @available(*, deprecated)
  init(
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
