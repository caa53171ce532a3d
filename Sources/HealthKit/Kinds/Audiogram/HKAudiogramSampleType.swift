/// The type of audiograms.
// @unchecked: as for HKObjectType.
public final class HKAudiogramSampleType: HKSampleType, @unchecked Sendable {}
