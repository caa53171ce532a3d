/// The type of objects that have a beginning and an end.
// @unchecked: as for HKObjectType.
public class HKSampleType: HKObjectType, @unchecked Sendable {}
