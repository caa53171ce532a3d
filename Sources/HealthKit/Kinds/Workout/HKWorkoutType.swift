/// The type of workouts.
// @unchecked: as for HKObjectType.
public final class HKWorkoutType: HKSampleType, @unchecked Sendable {}
