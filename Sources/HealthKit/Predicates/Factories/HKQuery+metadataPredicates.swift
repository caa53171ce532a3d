public import Foundation
import HealthStorage

extension HKQuery {
  /// Returns a predicate for objects whose metadata contains a key.
  public class func predicateForObjects(withMetadataKey key: String) -> NSPredicate {
    FilterPredicate(MetadataCondition(key: key, relation: .present).filter)
  }

  /// Returns a predicate for objects whose metadata value for a key is one of the given values.
  ///
  /// Numbers are compared by value, whatever their type, and true equals 1. Quantities are equal if their
  /// magnitudes are, even in different units. Traps on a value that metadata cannot hold.
  /// - Parameter allowedValues: Values of String, NSNumber, Date or HKQuantity. If empty, no object matches.
  public class func predicateForObjects(
    withMetadataKey key: String, allowedValues: [Any]
  ) -> NSPredicate {
    FilterPredicate(
      MetadataCondition(
        key: key, relation: .isOneOf(requiring(try AllowedMetadata(allowedValues, forKey: key)))
      )
      .filter)
  }

  /// Returns a predicate that compares the metadata value for a key with another value.
  ///
  /// `notEqualTo` is the opposite of `equalTo`: it also matches objects without the key and objects whose
  /// value has another type. All other operators do not match these objects.
  ///
  /// Traps on `matches`, because a regular expression may take arbitrarily long to evaluate, and on a value
  /// that does not fit the operator.
  /// - Parameters:
  ///   - operatorType: One of the six comparisons; `in` for an array or a set; `between` for an array of two
  ///     values, both included; `beginsWith`, `endsWith`, `contains` and `like` for strings. In a `like`
  ///     pattern, `*` matches any characters and `?` matches one.
  ///   - value: A String, NSNumber, Date or HKQuantity, or an array or a set of them. If it is nil or
  ///     `NSNull`, `equalTo` matches objects without the key, and `notEqualTo` objects with the key.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForObjects(
    withMetadataKey key: String, operatorType: NSComparisonPredicate.Operator, value: Any
  ) -> NSPredicate {
    FilterPredicate(requiring(try SampleFilter.comparingMetadata(key, operatorType, value)))
  }
}
