public import Foundation
import HealthStorage

// The predicates on what is recorded of a person's body and mind outside of measurements.

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

extension HKQuery {
  public class func predicateForStatesOfMind(with association: HKStateOfMind.Association) -> NSPredicate {
    FilterPredicate(SampleCondition.stateOfMind(.association(association.rawValue)).filter)
  }

  public class func predicateForStatesOfMind(with kind: HKStateOfMind.Kind) -> NSPredicate {
    FilterPredicate(SampleCondition.stateOfMind(.kind(kind.rawValue)).filter)
  }

  public class func predicateForStatesOfMind(with label: HKStateOfMind.Label) -> NSPredicate {
    FilterPredicate(SampleCondition.stateOfMind(.label(label.rawValue)).filter)
  }

  /// Traps on an operator that does not compare.
  /// - Parameter valence: from −1, very unpleasant, to 1, very pleasant.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForStatesOfMind(
    withValence valence: Double, operatorType: NSComparisonPredicate.Operator
  ) -> NSPredicate {
    FilterPredicate(
      SampleCondition.stateOfMind(.valence(requiring(try ValueComparison(operatorType)), valence)).filter)
  }
}
