public import Foundation
import HealthStorage

extension HKQuery {
  /// Category samples of which the value is one of these.
  public class func predicateForCategorySamples(equalTo values: Set<Int>) -> NSPredicate {
    FilterPredicate(.any(values.sorted().map { .category(.equal, $0) }))
  }

  /// Category samples whose value compares so with another. Traps on an operator that does not compare
  /// numbers.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForCategorySamples(
    with operatorType: NSComparisonPredicate.Operator, value: Int
  ) -> NSPredicate {
    FilterPredicate(.category(requiring(try ValueComparison(operatorType)), value))
  }
}

/// An enumeration of category values that can ask for the samples that have them.
public protocol HKCategoryValuePredicateProviding: RawRepresentable, Hashable where RawValue == Int {}

extension HKCategoryValuePredicateProviding {
  /// Samples of which the value is one of these.
  public static func predicateForSamples(equalTo values: Set<Self>) -> NSPredicate {
    HKQuery.predicateForCategorySamples(equalTo: Set(values.map(\.rawValue)))
  }

  /// Samples of which the value lies so to another. Traps on an operator that does not compare numbers.
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
