/// A GAD-7.
// @unchecked: as for HKObject.
open class HKGAD7Assessment: HKSample, @unchecked Sendable {}
