import Foundation

/// What a dose event says of a dose, checked when the event is made.
package struct MedicationDose: Sendable {
  package var scheduleType: HKMedicationDoseEvent.ScheduleType
  package var medicationConceptIdentifier: HKHealthConceptIdentifier
  package var scheduledDate: Date?
  package var scheduledDoseQuantity: Double?
  package var doseQuantity: Double?
  package var logStatus: HKMedicationDoseEvent.LogStatus
  package var unit: HKUnit

  package init(
    scheduleType: HKMedicationDoseEvent.ScheduleType, medicationConceptIdentifier: HKHealthConceptIdentifier,
    scheduledDate: Date?, scheduledDoseQuantity: Double?, doseQuantity: Double?,
    logStatus: HKMedicationDoseEvent.LogStatus, unit: HKUnit
  ) {
    self.scheduleType = scheduleType
    self.medicationConceptIdentifier = medicationConceptIdentifier
    self.scheduledDate = scheduledDate
    self.scheduledDoseQuantity = scheduledDoseQuantity
    self.doseQuantity = doseQuantity
    self.logStatus = logStatus
    self.unit = unit
  }

  func check() throws(HKValidationError) {
    guard medicationConceptIdentifier.domain == .medication else {
      throw HKValidationError("a dose must be of a concept of the domain of medications")
    }
    guard [scheduledDoseQuantity, doseQuantity].allSatisfy({ $0.map { $0.isFinite && $0 >= 0 } ?? true })
    else {
      throw HKValidationError("the quantity of a dose must be finite and not negative")
    }
    guard scheduledDate.map({ Microseconds.of($0) != nil }) ?? true else {
      throw HKValidationError("a date is out of range")
    }
  }
}

// MARK: - Archives

extension MedicationDose {
  func encode(with coder: NSCoder) {
    coder.encode(scheduleType.rawValue, forKey: ArchiveKey.scheduleType)
    coder.encode(medicationConceptIdentifier, forKey: ArchiveKey.medicationConceptIdentifier)
    coder.encode(scheduledDate as NSDate?, forKey: ArchiveKey.scheduledDate)
    if let quantity = scheduledDoseQuantity {
      coder.encode(quantity, forKey: ArchiveKey.scheduledDoseQuantity)
    }
    if let quantity = doseQuantity { coder.encode(quantity, forKey: ArchiveKey.doseQuantity) }
    coder.encode(logStatus.rawValue, forKey: ArchiveKey.logStatus)
    coder.encode(unit, forKey: ArchiveKey.unit)
  }

  init?(coder: NSCoder) {
    guard
      let schedule = coder.value(HKMedicationDoseEvent.ScheduleType.self, forKey: ArchiveKey.scheduleType),
      let identifier = coder.object(
        HKHealthConceptIdentifier.self, forKey: ArchiveKey.medicationConceptIdentifier),
      let status = coder.value(HKMedicationDoseEvent.LogStatus.self, forKey: ArchiveKey.logStatus),
      let unit = coder.object(HKUnit.self, forKey: ArchiveKey.unit)
    else { return nil }
    self.init(
      scheduleType: schedule, medicationConceptIdentifier: identifier,
      scheduledDate: coder.date(forKey: ArchiveKey.scheduledDate),
      scheduledDoseQuantity: coder.real(forKey: ArchiveKey.scheduledDoseQuantity),
      doseQuantity: coder.real(forKey: ArchiveKey.doseQuantity), logStatus: status, unit: unit)
    guard (try? check()) != nil else { return nil }
  }

  private enum ArchiveKey {
    static let scheduleType = "scheduleType"
    static let medicationConceptIdentifier = "medicationConceptIdentifier"
    static let scheduledDate = "scheduledDate"
    static let scheduledDoseQuantity = "scheduledDoseQuantity"
    static let doseQuantity = "doseQuantity"
    static let logStatus = "status"
    static let unit = "unit"
  }
}
