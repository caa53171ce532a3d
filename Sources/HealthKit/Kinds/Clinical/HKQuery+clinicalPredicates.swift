public import Foundation
import HealthStorage

extension HKQuery {
  /// Clinical records that were sent as a FHIR resource of this type.
  public class func predicateForClinicalRecords(
    withFHIRResourceType resourceType: HKFHIRResourceType
  ) -> NSPredicate {
    FilterPredicate(
      SampleCondition.clinicalRecord(ClinicalRecordCondition(resourceType: resourceType.rawValue)).filter)
  }

  /// The clinical record that was sent as this FHIR resource.
  public class func predicateForClinicalRecords(
    from source: HKSource, fhirResourceType resourceType: HKFHIRResourceType, identifier: String
  ) -> NSPredicate {
    let condition = ClinicalRecordCondition(resourceType: resourceType.rawValue, identifier: identifier)
    return FilterPredicate(
      .all([.sources([source.bundleIdentifier]), SampleCondition.clinicalRecord(condition).filter]))
  }

  /// Verifiable records of which the relevant date lies in an interval, both ends included.
  public class func predicateForVerifiableClinicalRecords(
    withRelevantDateWithin dateInterval: DateInterval
  ) -> NSPredicate {
    // A record lies at its relevant date.
    FilterPredicate(
      .all([
        .type(ObjectTypes.verifiableClinicalRecord.identifier),
        .startsFrom(Microseconds.clamped(dateInterval.start)),
        .startsBefore(Microseconds.clamped(dateInterval.end) + 1),
      ]))
  }
}
