public import Foundation

// Predicates on dose events and on the user's medications. Predicates on the scheduled date do not match
// unscheduled doses.

extension HKQuery {
  /// Returns a predicate for doses with the given log status.
  public class func predicateForMedicationDoseEvent(
    status: HKMedicationDoseEvent.LogStatus
  ) -> NSPredicate {
    predicateForMedicationDoseEvent(statuses: [status])
  }

  /// Returns a predicate for doses with one of the given log statuses.
  public class func predicateForMedicationDoseEvent(
    statuses: Set<HKMedicationDoseEvent.LogStatus>
  ) -> NSPredicate {
    doses(.statuses(CodedSet(statuses.map(\.rawValue))))
  }

  /// Returns a predicate for doses scheduled at the given date.
  public class func predicateForMedicationDoseEvent(scheduledDate: Date) -> NSPredicate {
    predicateForMedicationDoseEvent(scheduledDates: [scheduledDate])
  }

  /// Returns a predicate for doses scheduled at one of the given dates.
  public class func predicateForMedicationDoseEvent(scheduledDates: Set<Date>) -> NSPredicate {
    doses(.scheduled(at: CodedSet(scheduledDates.map(Microseconds.clamped))))
  }

  /// Returns a predicate for doses scheduled within a window. The end is exclusive.
  /// - Parameters:
  ///   - startDate: The start of the window; nil for no lower bound.
  ///   - endDate: The end of the window; nil for no upper bound.
  public class func predicateForMedicationDoseEvent(
    scheduledStart startDate: Date?, end endDate: Date?
  ) -> NSPredicate {
    doses(
      .scheduledBetween(
        from: startDate.map(Microseconds.clamped), before: endDate.map(Microseconds.clamped)))
  }

  /// Returns a predicate for doses of the given medication.
  public class func predicateForMedicationDoseEvent(
    medicationConceptIdentifier: HKHealthConceptIdentifier
  ) -> NSPredicate {
    predicateForMedicationDoseEvent(medicationConceptIdentifiers: [medicationConceptIdentifier])
  }

  /// Returns a predicate for doses of one of the given medications.
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
  /// Returns a predicate for archived medications, or for medications that are not archived.
  public class func predicateForUserAnnotatedMedications(isArchived: Bool) -> NSPredicate {
    ConditionPredicate(MedicationCondition.isArchived(isArchived))
  }

  /// Returns a predicate for medications with a schedule, or for those without.
  public class func predicateForUserAnnotatedMedications(hasSchedule: Bool) -> NSPredicate {
    ConditionPredicate(MedicationCondition.hasSchedule(hasSchedule))
  }
}

/// A condition on a medication of the user.
enum MedicationCondition: ConditionOnSubject {
  case isArchived(Bool)
  case hasSchedule(Bool)

  func holds(_ medication: HKUserAnnotatedMedication) -> Bool {
    switch self {
    case .isArchived(let flag): medication.isArchived == flag
    case .hasSchedule(let flag): medication.hasSchedule == flag
    }
  }
}

/// A condition on a dose event.
///
/// Dates are microseconds since 1970. Conditions on the scheduled date do not match unscheduled doses.
enum DoseCondition: Hashable, Codable, Sendable {
  /// Matches any of these raw values of `LogStatus`.
  case statuses(CodedSet<Int>)
  case scheduled(at: CodedSet<Int64>)
  case scheduledBetween(from: Int64?, before: Int64?)
  case concepts(CodedSet<Concept>)

  struct Concept: Hashable, Comparable, Codable, Sendable {
    var domain: String
    var identifier: String

    init(_ identifier: HKHealthConceptIdentifier) {
      domain = identifier.domain.rawValue
      self.identifier = identifier.underlyingIdentifier
    }

    static func < (left: Concept, right: Concept) -> Bool {
      (left.domain, left.identifier) < (right.domain, right.identifier)
    }
  }

  func holds(_ dose: HKMedicationDoseEvent) -> Bool {
    switch self {
    case .statuses(let statuses):
      return statuses.contains(dose.logStatus.rawValue)
    case .scheduled(let times):
      return dose.scheduledDate.map { times.contains(Microseconds.clamped($0)) } ?? false
    case .scheduledBetween(let from, let before):
      guard let time = dose.scheduledDate.map(Microseconds.clamped) else { return false }
      return from ?? .min <= time && before.map { time < $0 } ?? true
    case .concepts(let concepts):
      return concepts.contains(Concept(dose.medicationConceptIdentifier))
    }
  }
}
