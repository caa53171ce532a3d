import Foundation
import HealthKit
import HealthSystem

/// The figures of a type over a time: those of `hrgate stats`, by the same names, and in the unit in which it
/// shows them to people.
struct StatisticsAnswer: Codable, Sendable {
  struct Latest: Codable, Sendable {
    var value: Double
    var time: Date
    var source: String
    var name: String
  }

  var type: String
  var unit: String
  var count: Int
  /// From where the first sample begins to where the last one ends, as far as that is in the time that was
  /// asked for; or the bounds of an interval.
  var start: Date?
  var end: Date?
  var min: Double?
  var max: Double?
  var average: Double?
  var sum: Double?
  var latest: Latest?
  var sources: [SourceName]?

  /// Of no sample.
  init(_ type: HKQuantityType, in unit: HKUnit) {
    self.type = TypeName.short(type)
    self.unit = unit.unitString
    count = 0
  }

  init(_ window: WindowStatistics, in unit: HKUnit) {
    let statistics = window.statistics
    self.init(statistics.quantityType, in: unit)
    count = statistics.sampleCount
    (start, end) = (window.start, window.end)
    min = statistics.minimumQuantity()?.doubleValue(for: unit)
    max = statistics.maximumQuantity()?.doubleValue(for: unit)
    average = statistics.averageQuantity()?.doubleValue(for: unit)
    sum = statistics.sumQuantity()?.doubleValue(for: unit)
  }
}

/// A source for a person, and by what it is named in a request.
struct SourceName: Codable, Sendable {
  var source: String
  var name: String

  init(_ source: HKSource) { (self.source, name) = (source.bundleIdentifier, source.name) }
}
