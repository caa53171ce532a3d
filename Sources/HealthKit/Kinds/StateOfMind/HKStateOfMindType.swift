/// The type of states of mind.
// @unchecked: as for HKObjectType.
public final class HKStateOfMindType: HKSampleType, @unchecked Sendable {}
