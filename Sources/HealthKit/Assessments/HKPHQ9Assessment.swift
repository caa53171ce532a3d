/// A PHQ-9.
// @unchecked: as for HKObject.
open class HKPHQ9Assessment: HKSample, @unchecked Sendable {}
