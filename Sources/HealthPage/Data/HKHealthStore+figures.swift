import Foundation
import HealthKit
import HealthSystem

extension HKHealthStore {
  /// As `hrgate stats` prints them.
  func figures(of type: HKQuantityType, _ predicate: NSPredicate?) async throws -> StatisticsAnswer {
    do {
      let samples = HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: predicate)
      let statistics = try await HKStatisticsQueryDescriptor(
        predicate: samples, options: type.statisticsOptions
      ).result(for: self)
      return statistics.map { StatisticsAnswer($0) } ?? StatisticsAnswer(type)
    } catch HKError.errorNoData {
      return StatisticsAnswer(type)
    }
  }

  /// The same of each interval in which there are samples.
  func figures(
    of type: HKQuantityType, _ predicate: NSPredicate?, from anchor: Date, every components: DateComponents
  ) async throws -> [StatisticsAnswer] {
    let samples = HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: predicate)
    let query = HKStatisticsCollectionQueryDescriptor(
      predicate: samples, options: type.statisticsOptions, anchorDate: anchor, intervalComponents: components)
    return try await query.result(for: self).statistics().filter { $0.sampleCount > 0 }
      .map { StatisticsAnswer($0) }
  }

  /// The sample that began last.
  func latest(of type: HKQuantityType, _ predicate: NSPredicate?) async throws -> StatisticsAnswer.Latest? {
    let samples = HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: predicate)
    let unit = type.displayUnit
    return try await reduceSamples(into: nil, [samples], limit: 1, ascending: false) { latest, sample in
      let source = sample.sourceRevision.source
      latest = StatisticsAnswer.Latest(
        value: sample.quantity.doubleValue(for: unit), time: sample.endDate.milliseconds,
        source: source.bundleIdentifier, name: source.name)
    }
  }

  /// Who has saved such samples, in order of their names.
  func sources(of type: HKSampleType, _ predicate: NSPredicate?) async throws -> [HKSource] {
    let samples = HKSamplePredicate<HKSample>.sample(type: type, predicate: predicate)
    return try await HKSourceQueryDescriptor(predicate: samples).result(for: self)
      .sorted { ($0.name, $0.bundleIdentifier) < ($1.name, $1.bundleIdentifier) }
  }
}
