package import Foundation
package import HealthKit

/// Statistics of a quantity type over a period. `hrgate stats --json` and the page encode it as JSON. The
/// field names are stable.
package struct StatisticsView: Codable, Sendable {
  /// The sample with the latest start.
  package struct Latest: Codable, Sendable {
    package var value: Double
    package var time: Date
    package var source: String
    package var name: String

    package init(_ sample: HKQuantitySample, in unit: HKUnit) {
      (value, time) = (sample.quantity.doubleValue(for: unit), sample.endDate)
      let source = sample.sourceRevision.source
      (self.source, name) = (source.bundleIdentifier, source.name)
    }
  }

  package var type: String
  package var unit: String
  package var count: Int
  /// The start of the first sample and the end of the last, limited to the requested period. For statistics
  /// of an interval, its bounds. Absent if there are no samples.
  package var start: Date?
  package var end: Date?
  /// The date of an interval that is a calendar day; absent for other intervals.
  package var day: String?
  package var min: Double?
  package var max: Double?
  package var average: Double?
  package var sum: Double?

  // MARK: - Only on the page

  package var latest: Latest?
  package var sources: [SourceName]?

  /// Creates the statistics of a type without samples.
  package init(_ type: HKQuantityType, in unit: HKUnit) {
    (self.type, self.unit, count) = (type.identifier, unit.unitString, 0)
  }

  package init(_ window: WindowStatistics, in unit: HKUnit, day: String? = nil) {
    let statistics = window.statistics
    self.init(statistics.quantityType, in: unit)
    count = statistics.sampleCount
    (start, end, self.day) = (window.start, window.end, day)
    min = statistics.minimumQuantity()?.doubleValue(for: unit)
    max = statistics.maximumQuantity()?.doubleValue(for: unit)
    average = statistics.averageQuantity()?.doubleValue(for: unit)
    sum = statistics.sumQuantity()?.doubleValue(for: unit)
  }
}

/// A source: the bundle identifier, as used in requests, and the display name.
package struct SourceName: Codable, Sendable {
  package var source: String
  package var name: String

  package init(_ source: HKSource) { (self.source, name) = (source.bundleIdentifier, source.name) }
}
