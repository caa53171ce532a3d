/// The type of activity summaries, which are no samples. It serves to ask for permission to read them.
// @unchecked: as for HKObjectType.
public final class HKActivitySummaryType: HKObjectType, @unchecked Sendable {}
