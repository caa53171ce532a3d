import HealthStorage

/// Which statistics, of which samples.
struct StatisticsQuestion: Sendable {
  let type: HKQuantityType
  let predicate: PredicateTranslation?
  let options: HKStatisticsOptions

  /// - Throws: for options that do not fit the type, or a type that has no quantities.
  init(
    _ type: HKSampleType, _ predicate: PredicateTranslation?, _ options: HKStatisticsOptions
  ) throws(HKValidationError) {
    guard let type = type as? HKQuantityType else {
      throw HKValidationError("statistics need a quantity type; \(type) is none")
    }
    try options.check(for: type)
    self.type = type
    self.predicate = predicate
    self.options = options
  }
}

extension HKHealthStore {
  /// - Throws: errorNoData if nothing matches.
  func statistics(_ question: StatisticsQuestion) async throws -> HKStatistics {
    let fold = try await fold(question, intervals: nil)
    let sources = fold.sources
    guard let unit = fold.unit, let bucket = fold.finish().first else {
      throw HKError(.errorNoData, reason: "No data available for the specified predicate.")
    }
    return HKStatistics(bucket, unit: unit, sources: sources, question: question, bounds: nil)
  }

  func statisticsCollection(
    _ question: StatisticsQuestion, _ intervals: StatisticsIntervals
  ) async throws -> HKStatisticsCollection {
    let fold = try await fold(question, intervals: intervals)
    let unit = fold.unit ?? question.type.canonicalUnit
    let sources = fold.sources
    let statistics = fold.finish().map { bucket in
      (
        bucket.bounds.index,
        HKStatistics(bucket, unit: unit, sources: sources, question: question, bounds: bucket.bounds)
      )
    }
    return HKStatisticsCollection(question, intervals, statistics)
  }

  private func fold(
    _ question: StatisticsQuestion, intervals: StatisticsIntervals?
  ) async throws -> StatisticsFold {
    do {
      return try await admit(.read([question.type])).foldValues(
        .samples(of: question.type, question.predicate), type: question.type.identifier,
        // Only a sum asks for it.
        marking: question.type.aggregationStyle == .cumulative ? SampledValue.enteredKey : nil,
        prepare: { keys in
          StatisticsFold(
            style: question.type.aggregationStyle, separates: question.options.contains(.separateBySource),
            intervals: intervals, keys: keys)
        },
        { fold, value in try fold.add(value) })
    } catch let failure as StorageFailure {
      throw HKError(failure)
    }
  }
}
