import HealthStorage

/// Quantities of one type to which others come, mostly later ones, and their statistics at any moment.
///
/// Statistics take samples in order of their starts. The past is folded once; the last few wait, so that a
/// sample that comes a little late, as from a second monitor, finds its place among them. So a look costs the
/// last few and not the whole workout.
struct GrowingQuantities: Sendable {
  let type: HKQuantityType
  /// In order of their starts.
  private var values: [SampledValue] = []
  private var keys = SampledValueKeys()
  /// Of the first `foldedCount` values.
  private var fold: StatisticsFold?
  private var foldedCount = 0

  /// How many values wait: at most about twice as many.
  private static let waiting = 256

  init(_ type: HKQuantityType) {
    self.type = type
  }

  /// - Parameters:
  ///   - new: in order of their starts.
  ///   - keys: of these and of those before.
  mutating func add(_ new: [SampledValue], _ keys: SampledValueKeys) {
    guard let first = new.first else { return }
    let isLate = foldedCount > 0 && first.start < values[foldedCount - 1].start
    // Another order of sources changes what was folded.
    if isLate || keys != self.keys {
      fold = nil
      foldedCount = 0
    }
    self.keys = keys
    let isInOrder = values.last.map { $0.start <= first.start } ?? true
    values += new
    if !isInOrder {
      let ordered = values[foldedCount...].sorted { $0.start < $1.start }
      values.replaceSubrange(foldedCount..., with: ordered)
    }
    if values.count - foldedCount > 2 * Self.waiting { settle() }
  }

  /// nil for a unit that this version does not know, which a newer one wrote.
  var statistics: HKStatistics? {
    guard let whole = try? folded(values[foldedCount...]) else { return nil }
    return HKStatistics.of(type, whole)
  }

  func statistics(where isIncluded: (SampledValue) -> Bool) -> HKStatistics? {
    try? HKStatistics.of(type, values.filter(isIncluded), keys)
  }

  private mutating func settle() {
    let end = values.count - Self.waiting
    guard let settled = try? folded(values[foldedCount..<end]) else { return }
    fold = settled
    foldedCount = end
  }

  private func folded(_ more: ArraySlice<SampledValue>) throws(HKError) -> StatisticsFold {
    var fold = fold ?? HKStatistics.fold(type, keys)
    for value in more { try fold.add(value) }
    return fold
  }
}
