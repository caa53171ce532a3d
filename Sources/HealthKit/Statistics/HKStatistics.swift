public import Foundation

/// The figures of a type over a time. Only those that were asked for are there.
///
/// Where several sources measured a sum at the same time, the one that counts most in the user's order is
/// believed and the others fill its gaps, pro rata by time. The sum for a source is that of all its samples;
/// the other figures are those of all samples. Averages of heart rate are weighted by time: a sample with a
/// duration counts for it, an instantaneous one until the next of its source. Before a gap of more than five
/// seconds it counts as long as the one before it did, and for five seconds if that is not known. Values are
/// in the unit of the first sample.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKStatistics: NSObject, NSCopying, @unchecked Sendable {
  struct Figures: Sendable {
    var average: HKQuantity?
    var minimum: HKQuantity?
    var maximum: HKQuantity?
    var sum: HKQuantity?
    var mostRecent: HKQuantity?
    var mostRecentInterval: DateInterval?
    var duration: HKQuantity?
  }

  public let quantityType: HKQuantityType
  /// The earliest start of a sample; in a collection, the start of the interval.
  public let startDate: Date
  /// The latest end of a sample; in a collection, the end of the interval.
  public let endDate: Date
  /// How many samples begin in this time. (Not in Apple's framework.)
  package let sampleCount: Int
  private let merged: Figures
  private let bySource: [HKSource: Figures]?

  init(
    type: HKQuantityType, start: Date, end: Date, count: Int, merged: Figures, bySource: [HKSource: Figures]?
  ) {
    quantityType = type
    startDate = start
    endDate = end
    sampleCount = count
    self.merged = merged
    self.bySource = bySource
  }

  /// Whether another one of the same time has the same figures, but for the last bits, which depend on the
  /// order of additions.
  func hasFigures(of other: HKStatistics) -> Bool {
    guard sampleCount == other.sampleCount, merged.isAlmost(other.merged) else { return false }
    switch (bySource, other.bySource) {
    case (nil, nil): return true
    case (let now?, let before?):
      return now.count == before.count && now.allSatisfy { before[$0]?.isAlmost($1) ?? false }
    default: return false
    }
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// nil unless `separateBySource` was asked for.
  public var sources: [HKSource]? {
    bySource.map { $0.keys.sorted { $0.bundleIdentifier < $1.bundleIdentifier } }
  }

  public func averageQuantity() -> HKQuantity? { merged.average }
  public func minimumQuantity() -> HKQuantity? { merged.minimum }
  public func maximumQuantity() -> HKQuantity? { merged.maximum }
  public func sumQuantity() -> HKQuantity? { merged.sum }
  /// The value that ended last.
  public func mostRecentQuantity() -> HKQuantity? { merged.mostRecent }
  public func mostRecentQuantityDateInterval() -> DateInterval? { merged.mostRecentInterval }
  /// The time that the samples cover, in s; where they overlap it counts once.
  public func duration() -> HKQuantity? { merged.duration }

  public func averageQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.average }
  public func minimumQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.minimum }
  public func maximumQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.maximum }
  public func sumQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.sum }
  public func mostRecentQuantity(for source: HKSource) -> HKQuantity? { bySource?[source]?.mostRecent }
  public func mostRecentQuantityDateInterval(for source: HKSource) -> DateInterval? {
    bySource?[source]?.mostRecentInterval
  }
  public func duration(for source: HKSource) -> HKQuantity? { bySource?[source]?.duration }
}
