public import Foundation

/// A dose of a medication that was taken, skipped or not logged. Read-only.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKMedicationDoseEvent: HKSample, NSCopying, @unchecked Sendable {
  private let dose: MedicationDose

  init(_ dose: MedicationDose, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.dose = dose
    super.init(ObjectTypes.medicationDoseEvent, interval, origin)
  }

  /// Creates an event with the given UUID. Not public, because programs cannot create dose events.
  /// - Parameter dose: The dose. It must be for a medication, with quantities that are finite and not
  ///   negative.
  package static func make(
    uuid: UUID, _ dose: MedicationDose, start: Date, end: Date, device: HKDevice?, metadata: ObjectMetadata?
  ) throws(HKValidationError) -> HKMedicationDoseEvent {
    try dose.check()
    return HKMedicationDoseEvent(
      dose, try SampleInterval(start: start, end: end, of: ObjectTypes.medicationDoseEvent),
      ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }

  public var medicationDoseEventType: HKMedicationDoseEventType { ObjectTypes.medicationDoseEvent }
  public var scheduleType: ScheduleType { dose.scheduleType }
  public var medicationConceptIdentifier: HKHealthConceptIdentifier { dose.medicationConceptIdentifier }
  /// The scheduled date; nil if the dose was not scheduled.
  public var scheduledDate: Date? { dose.scheduledDate }
  /// The scheduled quantity in `unit`; nil if the dose was not scheduled.
  public var scheduledDoseQuantity: Double? { dose.scheduledDoseQuantity }
  /// The quantity that was taken, in `unit`; nil if it was not logged.
  public var doseQuantity: Double? { dose.doseQuantity }
  public var logStatus: LogStatus { dose.logStatus }
  public var unit: HKUnit { dose.unit }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    dose.encode(with: coder)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) is HKMedicationDoseEventType, let dose = MedicationDose(coder: coder)
    else {
      return nil
    }
    self.dose = dose
    super.init(coder: coder)
  }
}

/// The type of dose events. Permission to read them is part of the permission for their medication.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKMedicationDoseEventType: HKSampleType, @unchecked Sendable {
  package override var isShareable: Bool { false }
}

// MARK: - Contents

/// The properties of a dose event. They are checked when the event is created.
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

// MARK: - Archiving

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
