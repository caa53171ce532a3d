/// A state of mind.
// @unchecked: as for HKObject.
open class HKStateOfMind: HKSample, @unchecked Sendable {}
