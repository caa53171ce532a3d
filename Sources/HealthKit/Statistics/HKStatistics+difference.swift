import Foundation

extension HKStatistics.Figures {
  /// Far more than the order of additions makes of a sum, and far less than any measurement.
  private static let tolerance = 1e-12

  /// Whether nothing differs but the last bits of what was added up: the figures of an hour that are kept and
  /// its samples one by one are added in another order.
  func isAlmost(_ other: Self) -> Bool {
    Self.areAlmostEqual(average, other.average) && Self.areAlmostEqual(sum, other.sum)
      && minimum == other.minimum && maximum == other.maximum && mostRecent == other.mostRecent
      && mostRecentInterval == other.mostRecentInterval && duration == other.duration
  }

  private static func areAlmostEqual(_ one: HKQuantity?, _ other: HKQuantity?) -> Bool {
    guard let one, let other, one.unit == other.unit else { return one == other }
    let greater = max(abs(one.value), abs(other.value))
    // Equality first: the distance of equal infinities is no number.
    return one.value == other.value || abs(one.value - other.value) < tolerance * greater
  }
}
