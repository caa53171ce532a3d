import Foundation
import HealthKit
import HealthSystem

extension HKHealthStore {
  /// Returns the statistics of samples, as `hrgate stats` prints them.
  ///
  /// - Parameter withSources: Whether the result also lists the sources, sorted by name. The store keeps
  ///   statistics per source, so no samples have to be read for that.
  func figures(
    of type: HKQuantityType, in window: FiguresWindow, withSources: Bool = false
  ) async throws -> StatisticsView {
    let unit = try await shownUnit(of: type)
    let found = try await statistics(
      of: type, in: window, type.statisticsOptions.union(withSources ? .separateBySource : []))
    guard let found else { return StatisticsView(type, in: unit) }
    var response = StatisticsView(found, in: unit)
    if withSources {
      response.sources = found.statistics.sources?.byName.map { SourceName($0) }
    }
    return response
  }

  /// Returns the statistics of each interval, such as each day, that has samples.
  func figures(
    of type: HKQuantityType, in window: FiguresWindow, from anchor: Date, every components: DateComponents
  ) async throws -> [StatisticsView] {
    let unit = try await shownUnit(of: type)
    return try await statistics(
      of: type, in: window, type.statisticsOptions, from: anchor, every: components
    ).map { StatisticsView($0, in: unit) }
  }

  /// Returns the sample with the latest start, in the given unit or, if it is nil, in the unit shown to the
  /// user.
  func latest(
    of type: HKQuantityType, _ predicate: NSPredicate?, in other: HKUnit? = nil
  ) async throws -> StatisticsView.Latest? {
    let samples = HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: predicate)
    var unit = other ?? type.displayUnit
    if other == nil { unit = try await shownUnit(of: type) }
    return try await reduceSamples(into: nil, [samples], limit: 1, ascending: false) {
      [unit] latest, sample in latest = StatisticsView.Latest(sample, in: unit)
    }
  }

  /// Returns the units in which the page shows the quantities of a type's samples.
  func shownUnits(of type: HKSampleType) async throws -> [HKQuantityType: HKUnit] {
    let types: Set<HKQuantityType> =
      switch type {
      case let quantity as HKQuantityType: [quantity]
      // Correlations and workouts may contain quantities of many types.
      case is HKCorrelationType, is HKWorkoutType:
        Set(HKSampleType.known.compactMap { $0 as? HKQuantityType })
      default: []
      }
    return try await shownUnits(of: types)
  }

  /// Returns the sources of samples, sorted by name.
  func sources(of type: HKSampleType, _ predicate: NSPredicate?) async throws -> [HKSource] {
    let samples = HKSamplePredicate<HKSample>.sample(type: type, predicate: predicate)
    return try await HKSourceQueryDescriptor(predicate: samples).result(for: self).byName
  }

  /// Returns the time from the start of the first sample to the start of the last.
  func extent(of type: HKSampleType, _ predicate: NSPredicate?) async throws -> DateInterval? {
    let samples = [HKSamplePredicate<HKSample>.sample(type: type, predicate: predicate)]
    var bounds: [Date] = []
    for ascending in [true, false] {
      let bound = try await reduceSamples(into: nil as Date?, samples, limit: 1, ascending: ascending) {
        $0 = $1.startDate
      }
      guard let bound else { return nil }
      bounds.append(bound)
    }
    return DateInterval(start: bounds[0], end: max(bounds[0], bounds[1]))
  }
}

extension Sequence<HKSource> {
  /// The sources, sorted by name.
  var byName: [Element] {
    sorted { ($0.name, $0.bundleIdentifier) < ($1.name, $1.bundleIdentifier) }
  }
}
