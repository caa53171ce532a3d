public import Foundation
import HealthStorage

extension HKQuery {
  public class func predicateForElectrocardiograms(
    classification: HKElectrocardiogram.Classification
  ) -> NSPredicate {
    FilterPredicate(SampleCondition.electrocardiogram(.classification(classification.rawValue)).filter)
  }

  public class func predicateForElectrocardiograms(
    symptomsStatus: HKElectrocardiogram.SymptomsStatus
  ) -> NSPredicate {
    FilterPredicate(SampleCondition.electrocardiogram(.symptomsStatus(symptomsStatus.rawValue)).filter)
  }

  /// The symptoms that belong to a recording. Only a store knows them: in memory no sample belongs to a
  /// recording.
  public class func predicateForObjectsAssociated(electrocardiogram: HKElectrocardiogram) -> NSPredicate {
    FilterPredicate(.members(of: electrocardiogram.uuid))
  }
}
