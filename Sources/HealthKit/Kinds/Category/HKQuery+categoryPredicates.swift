public import Foundation
import HealthStorage

extension HKQuery {
  /// Returns a predicate for category samples with one of the given values.
  public class func predicateForCategorySamples(equalTo values: Set<Int>) -> NSPredicate {
    FilterPredicate(.any(values.sorted().map { .category(.equal, $0) }))
  }

  /// Returns a predicate that compares the value of category samples with the given one, using a comparison
  /// operator. Traps if the operator does not compare numbers.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForCategorySamples(
    with operatorType: NSComparisonPredicate.Operator, value: Int
  ) -> NSPredicate {
    FilterPredicate(.category(requiring(try ValueComparison(operatorType)), value))
  }
}

/// An enumeration of category values that can create predicates for its samples.
public protocol HKCategoryValuePredicateProviding: RawRepresentable, Hashable where RawValue == Int {}

extension HKCategoryValuePredicateProviding {
  /// Returns a predicate for samples with one of the given values.
  public static func predicateForSamples(equalTo values: Set<Self>) -> NSPredicate {
    HKQuery.predicateForCategorySamples(equalTo: Set(values.map(\.rawValue)))
  }

  /// Returns a predicate that compares the value of samples with the given one, using a comparison operator.
  /// Traps if the operator does not compare numbers.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public static func predicateForSamples(
    _ operator: NSComparisonPredicate.Operator, value: Self
  ) -> NSPredicate {
    HKQuery.predicateForCategorySamples(with: `operator`, value: value.rawValue)
  }
}

extension HKCategoryValue: HKCategoryValuePredicateProviding {}
extension HKCategoryValueAppetiteChanges: HKCategoryValuePredicateProviding {}
extension HKCategoryValueAppleStandHour: HKCategoryValuePredicateProviding {}
extension HKCategoryValueAppleWalkingSteadinessEvent: HKCategoryValuePredicateProviding {}
extension HKCategoryValueCervicalMucusQuality: HKCategoryValuePredicateProviding {}
extension HKCategoryValueContraceptive: HKCategoryValuePredicateProviding {}
extension HKCategoryValueEnvironmentalAudioExposureEvent: HKCategoryValuePredicateProviding {}
extension HKCategoryValueHeadphoneAudioExposureEvent: HKCategoryValuePredicateProviding {}
extension HKCategoryValueLowCardioFitnessEvent: HKCategoryValuePredicateProviding {}
extension HKCategoryValueMenstrualFlow: HKCategoryValuePredicateProviding {}
extension HKCategoryValueOvulationTestResult: HKCategoryValuePredicateProviding {}
extension HKCategoryValuePregnancyTestResult: HKCategoryValuePredicateProviding {}
extension HKCategoryValuePresence: HKCategoryValuePredicateProviding {}
extension HKCategoryValueProgesteroneTestResult: HKCategoryValuePredicateProviding {}
extension HKCategoryValueSeverity: HKCategoryValuePredicateProviding {}
extension HKCategoryValueSleepAnalysis: HKCategoryValuePredicateProviding {}
extension HKCategoryValueVaginalBleeding: HKCategoryValuePredicateProviding {}

extension HKCategoryValueSleepAnalysis {
  /// All values that mean sleep, of any stage.
  public static var allAsleepValues: Set<HKCategoryValueSleepAnalysis> {
    [.asleepUnspecified, .asleepCore, .asleepDeep, .asleepREM]
  }
}
