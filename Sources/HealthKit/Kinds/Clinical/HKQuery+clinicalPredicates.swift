public import Foundation
import HealthStorage

extension HKQuery {
  /// Returns a predicate for clinical records whose FHIR resource has the given type.
  public class func predicateForClinicalRecords(
    withFHIRResourceType resourceType: HKFHIRResourceType
  ) -> NSPredicate {
    FilterPredicate(
      SampleCondition.clinicalRecord(ClinicalRecordCondition(resourceType: resourceType.rawValue)).filter)
  }

  /// Returns a predicate for the clinical record with the given FHIR resource.
  public class func predicateForClinicalRecords(
    from source: HKSource, fhirResourceType resourceType: HKFHIRResourceType, identifier: String
  ) -> NSPredicate {
    let condition = ClinicalRecordCondition(resourceType: resourceType.rawValue, identifier: identifier)
    return FilterPredicate(
      .all([.sources([source.bundleIdentifier]), SampleCondition.clinicalRecord(condition).filter]))
  }

  /// Returns a predicate for verifiable records whose relevant date is in the interval, including both ends.
  public class func predicateForVerifiableClinicalRecords(
    withRelevantDateWithin dateInterval: DateInterval
  ) -> NSPredicate {
    // The sample of a verifiable record starts and ends at its relevant date.
    FilterPredicate(
      .all([
        .type(ObjectTypes.verifiableClinicalRecord.identifier),
        .startsFrom(Microseconds.clamped(dateInterval.start)),
        // Add one microsecond: `startsBefore` excludes its argument, but the end of the interval is included.
        .startsBefore(Microseconds.clamped(dateInterval.end) + 1),
      ]))
  }
}

/// A condition on the FHIR resource of a clinical record.
struct ClinicalRecordCondition: Hashable, Codable, Sendable {
  /// The resource type; nil for any.
  var resourceType: String?
  /// The resource identifier; nil for any.
  var identifier: String?

  func holds(_ record: HKClinicalRecord) -> Bool {
    guard let resource = record.fhirResource else { return false }
    return (resourceType.map { resource.resourceType.rawValue == $0 } ?? true)
      && (identifier.map { resource.identifier == $0 } ?? true)
  }
}
