/// The type of doses taken or left out. Reading them is permitted with their medication.
// @unchecked: as for HKObjectType.
public final class HKMedicationDoseEventType: HKSampleType, @unchecked Sendable {
  package override var isShareable: Bool { false }
}
