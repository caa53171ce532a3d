import Foundation
import HealthStorage

/// The parameters of a statistics query.
struct StatisticsRequest: Sendable {
  let type: HKQuantityType
  let predicate: PredicateTranslation?
  let options: HKStatisticsOptions

  /// Creates the parameters after checking the options.
  /// - Throws: `HKValidationError` if the options do not match the type, or the type is not a quantity type.
  init(
    _ type: HKSampleType, _ predicate: PredicateTranslation?, _ options: HKStatisticsOptions
  ) throws(HKValidationError) {
    guard let type = type as? HKQuantityType else {
      throw HKValidationError("statistics require a quantity type, not \(type)")
    }
    try options.check(for: type)
    self.type = type
    self.predicate = predicate
    self.options = options
  }
}

extension HKHealthStore {
  /// Returns the statistics of all matching samples.
  /// - Throws: `HKError` errorNoData if no sample matches.
  func statistics(_ request: StatisticsRequest) async throws -> HKStatistics {
    let fold = try await fold(request, intervals: nil)
    let sources = fold.sources
    guard let unit = fold.unit, let bucket = fold.finish().first else {
      throw HKError(.errorNoData, reason: "No data available for the specified predicate.")
    }
    return HKStatistics(bucket, unit: unit, sources: sources, request: request, bounds: nil)
  }

  /// Returns the statistics of a time range. If a sample extends beyond the range, only the part inside
  /// counts.
  /// - Returns: Nil if no sample overlaps the range.
  func statistics(
    _ request: StatisticsRequest, from start: Date?, to end: Date?
  ) async throws -> HKStatistics? {
    let fold = try await fold(request, intervals: StatisticsIntervals(only: start, end))
    let unit = fold.unit ?? request.type.canonicalUnit
    let sources = fold.sources
    return fold.finish().first { $0.bounds.index == 0 }.map {
      HKStatistics($0, unit: unit, sources: sources, request: request, bounds: $0.bounds)
    }
  }

  func statisticsCollection(
    _ request: StatisticsRequest, _ intervals: StatisticsIntervals
  ) async throws -> HKStatisticsCollection {
    let fold = try await fold(request, intervals: intervals)
    let unit = fold.unit ?? request.type.canonicalUnit
    let sources = fold.sources
    let statistics = fold.finish().map { bucket in
      (
        bucket.bounds.index,
        HKStatistics(bucket, unit: unit, sources: sources, request: request, bounds: bucket.bounds)
      )
    }
    return HKStatisticsCollection(request, intervals, statistics)
  }

  private func fold(
    _ request: StatisticsRequest, intervals: StatisticsIntervals?
  ) async throws -> StatisticsFold {
    do {
      let database = try admit(.read([request.type]))
      let style = request.type.aggregationStyle
      let make: @Sendable (SampledValueKeys) -> StatisticsFold = { keys in
        StatisticsFold(
          style: style, separates: request.options.contains(.separateBySource), intervals: intervals,
          keys: keys)
      }
      let filter = try SampleFilter.samples(of: request.type, request.predicate)
      let type = request.type.identifier
      guard style != .cumulative else {
        return try await database.foldValues(
          filter, type: type, marking: HKMetadataKeyWasUserEntered, prepare: make,
          { fold, value in try fold.add(value) })
      }
      let summarised = try await database.foldSummarised(
        filter, type: type,
        prepare: { SummarisedFold(make($0), style: style, keys: $0, scope: $1) },
        { fold, value in try fold.add(value) }, hour: { fold, hour in try fold.add(hour) },
        instants: { fold, instants in try fold.add(instants) })
      let (hours, position) = summarised.summaries
      // Do not store hourly summaries if a damaged segment was skipped, because it may be repaired later.
      if !database.skipsDamagedBlocks || database.damagedBlocks.known.isEmpty {
        engine.upkeep.keep(hours, of: type, readAt: position, in: database)
      }
      return summarised.fold
    } catch let failure as StorageError {
      throw HKError(failure)
    }
  }
}
