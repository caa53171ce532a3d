public import Foundation

/// What became of a dose of a medication: taken, left out, or not answered for. Read only.
// @unchecked: as for HKObject.
open class HKMedicationDoseEvent: HKSample, NSCopying, @unchecked Sendable {
  private let dose: MedicationDose

  init(_ dose: MedicationDose, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.dose = dose
    super.init(ObjectTypes.medicationDoseEvent, interval, origin)
  }

  /// An event with a UUID of the caller's, for stores.
  /// - Parameter dose: of a medication; its quantities are finite and not negative.
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
  /// nil for a dose that was not scheduled.
  public var scheduledDate: Date? { dose.scheduledDate }
  /// What was to be taken, in `unit`; nil for a dose that was not scheduled.
  public var scheduledDoseQuantity: Double? { dose.scheduledDoseQuantity }
  /// What was taken, in `unit`; nil if that was not said.
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
