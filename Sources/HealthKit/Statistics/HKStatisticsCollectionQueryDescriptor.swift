public import Foundation

/// Asks for statistics of consecutive intervals.
public struct HKStatisticsCollectionQueryDescriptor: Sendable {
  public var predicate: HKSamplePredicate<HKQuantitySample>
  public var options: HKStatisticsOptions
  /// Where one of the intervals begins; they reach in both directions from here.
  public var anchorDate: Date
  /// How long an interval is. Days and more follow the calendar of the components, else the current one.
  public var intervalComponents: DateComponents

  /// Traps if the options do not fit how the type aggregates, or the components are not a positive time.
  public init(
    predicate: HKSamplePredicate<HKQuantitySample>, options: HKStatisticsOptions, anchorDate: Date,
    intervalComponents: DateComponents
  ) {
    self.predicate = predicate
    self.options = options
    self.anchorDate = anchorDate
    self.intervalComponents = intervalComponents
    _ = requiring(try parts)
  }

  /// The collection is empty if nothing matches.
  public func result(for store: HKHealthStore) async throws -> HKStatisticsCollection {
    let (question, intervals) = requiring(try parts)
    return try await store.statisticsCollection(question, intervals)
  }

  private var parts: (StatisticsQuestion, StatisticsIntervals) {
    get throws(HKValidationError) {
      (
        try StatisticsQuestion(predicate.sampleType, predicate.translation, options),
        try StatisticsIntervals(anchor: anchorDate, components: intervalComponents)
      )
    }
  }
}
