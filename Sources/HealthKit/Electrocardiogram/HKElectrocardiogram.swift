/// An electrocardiogram.
// @unchecked: as for HKObject.
open class HKElectrocardiogram: HKSample, @unchecked Sendable {}
