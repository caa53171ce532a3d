/// A dose.
// @unchecked: as for HKObject.
open class HKMedicationDoseEvent: HKSample, @unchecked Sendable {}
