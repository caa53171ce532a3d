public import Foundation

extension HKQuery {
  /// Objects that have the key in their metadata.
  public class func predicateForObjects(withMetadataKey key: String) -> NSPredicate {
    FilterPredicate(MetadataCondition(key: key, relation: .present).filter)
  }

  /// Objects of which the metadata value of the key equals one of these. Numbers are equal whatever their
  /// kind, true is 1, and quantities in different units are equal if of the same size.
  ///
  /// Traps on a value that metadata cannot have.
  /// - Parameter allowedValues: each a String, NSNumber, Date or HKQuantity; if it is empty, no object
  ///   matches.
  public class func predicateForObjects(
    withMetadataKey key: String, allowedValues: [Any]
  ) -> NSPredicate {
    FilterPredicate(
      MetadataCondition(
        key: key, relation: .isOneOf(requiring(try AllowedMetadata(allowedValues, forKey: key)))
      )
      .filter)
  }

  /// Objects of which the metadata value of the key lies so to another. An object without the key does not
  /// match, nor one with a value of another kind, whatever the operator.
  ///
  /// Traps on `matches`, as a regular expression may take for ever, and on a value that does not go with the
  /// operator.
  /// - Parameters:
  ///   - operatorType: the six comparisons; `in`, of an array or a set; `between`, of an array of two, both
  ///     ends included; for texts `beginsWith`, `endsWith`, `contains` and `like`, for which `*` stands for
  ///     any letters and `?` for one.
  ///   - value: a String, NSNumber, Date or HKQuantity, or an array or a set of them.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForObjects(
    withMetadataKey key: String, operatorType: NSComparisonPredicate.Operator, value: Any
  ) -> NSPredicate {
    FilterPredicate(requiring(try MetadataCondition(key, operatorType, value)).filter)
  }
}
