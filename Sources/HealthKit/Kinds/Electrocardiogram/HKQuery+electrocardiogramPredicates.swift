public import Foundation
import HealthStorage

extension HKQuery {
  /// Returns a predicate for recordings with the given classification.
  public class func predicateForElectrocardiograms(
    classification: HKElectrocardiogram.Classification
  ) -> NSPredicate {
    FilterPredicate(SampleCondition.electrocardiogram(.classification(classification.rawValue)).filter)
  }

  /// Returns a predicate for recordings with the given symptoms status.
  public class func predicateForElectrocardiograms(
    symptomsStatus: HKElectrocardiogram.SymptomsStatus
  ) -> NSPredicate {
    FilterPredicate(SampleCondition.electrocardiogram(.symptomsStatus(symptomsStatus.rawValue)).filter)
  }

  /// Returns a predicate for the symptoms that are associated with a recording. Only a query can use it:
  /// `evaluate` cannot know which recording a symptom belongs to.
  public class func predicateForObjectsAssociated(electrocardiogram: HKElectrocardiogram) -> NSPredicate {
    FilterPredicate(.members(of: electrocardiogram.uuid))
  }
}

/// A condition on an electrocardiogram, with the raw value of its classification or symptoms status.
enum ElectrocardiogramCondition: Hashable, Codable, Sendable {
  case classification(Int)
  case symptomsStatus(Int)
  case averageHeartRate(QuantityComparison)

  func holds(_ electrocardiogram: HKElectrocardiogram) -> Bool {
    switch self {
    case .classification(let value): electrocardiogram.classification.rawValue == value
    case .symptomsStatus(let value): electrocardiogram.symptomsStatus.rawValue == value
    case .averageHeartRate(let comparison): comparison.holds(electrocardiogram.averageHeartRate)
    }
  }
}
