public import Foundation

// The predicates on doses and on the medications that a person keeps. A dose that was not scheduled matches
// no date.

extension HKQuery {
  public class func predicateForMedicationDoseEvent(
    status: HKMedicationDoseEvent.LogStatus
  ) -> NSPredicate {
    predicateForMedicationDoseEvent(statuses: [status])
  }

  public class func predicateForMedicationDoseEvent(
    statuses: Set<HKMedicationDoseEvent.LogStatus>
  ) -> NSPredicate {
    doses(.statuses(CodedSet(statuses.map(\.rawValue))))
  }

  public class func predicateForMedicationDoseEvent(scheduledDate: Date) -> NSPredicate {
    predicateForMedicationDoseEvent(scheduledDates: [scheduledDate])
  }

  public class func predicateForMedicationDoseEvent(scheduledDates: Set<Date>) -> NSPredicate {
    doses(.scheduled(at: CodedSet(scheduledDates.map(Microseconds.clamped))))
  }

  /// Doses that were scheduled in a window; the end is outside.
  /// - Parameters:
  ///   - startDate: nil leaves the window open at its beginning.
  ///   - endDate: nil leaves it open at its end.
  public class func predicateForMedicationDoseEvent(
    scheduledStart startDate: Date?, end endDate: Date?
  ) -> NSPredicate {
    doses(
      .scheduledBetween(
        from: startDate.map(Microseconds.clamped), before: endDate.map(Microseconds.clamped)))
  }

  public class func predicateForMedicationDoseEvent(
    medicationConceptIdentifier: HKHealthConceptIdentifier
  ) -> NSPredicate {
    predicateForMedicationDoseEvent(medicationConceptIdentifiers: [medicationConceptIdentifier])
  }

  public class func predicateForMedicationDoseEvent(
    medicationConceptIdentifiers: Set<HKHealthConceptIdentifier>
  ) -> NSPredicate {
    doses(.concepts(CodedSet(medicationConceptIdentifiers.map(DoseCondition.Concept.init))))
  }

  private class func doses(_ condition: DoseCondition) -> NSPredicate {
    FilterPredicate(SampleCondition.dose(condition).filter)
  }
}

extension HKQuery {
  public class func predicateForUserAnnotatedMedications(isArchived: Bool) -> NSPredicate {
    ConditionPredicate(MedicationCondition.isArchived(isArchived))
  }

  public class func predicateForUserAnnotatedMedications(hasSchedule: Bool) -> NSPredicate {
    ConditionPredicate(MedicationCondition.hasSchedule(hasSchedule))
  }
}
