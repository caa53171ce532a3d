public import Foundation
import HealthStorage

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

  /// Objects whose metadata value of the key compares this way with another value.
  ///
  /// `notEqualTo` is the opposite of `equalTo`: it includes objects that lack the key and objects whose value
  /// is of another kind. No other operator includes these.
  ///
  /// Traps on `matches`, because the cost of a regular expression has no bound, and on a value that does not
  /// fit the operator.
  /// - Parameters:
  ///   - operatorType: one of the six comparisons; `in` for an array or a set; `between` for an array of two,
  ///     both ends included; `beginsWith`, `endsWith`, `contains` and `like` for texts, where `*` in a `like`
  ///     pattern stands for any characters and `?` for one.
  ///   - value: a String, NSNumber, Date or HKQuantity, or an array or a set of them. With `equalTo` and
  ///     `notEqualTo`, nil or `NSNull` finds the objects without and with the key.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForObjects(
    withMetadataKey key: String, operatorType: NSComparisonPredicate.Operator, value: Any
  ) -> NSPredicate {
    FilterPredicate(requiring(try SampleFilter.comparingMetadata(key, operatorType, value)))
  }
}
