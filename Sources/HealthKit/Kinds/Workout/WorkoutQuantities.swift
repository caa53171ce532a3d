import HealthStorage

/// The quantities of the samples of a workout. If several sources measured the same quantity, sums are merged
/// as in statistics queries.
struct WorkoutQuantities: Sendable {
  /// The quantities by type identifier.
  private var quantities: [String: GrowingQuantities] = [:]

  init() {}

  init(_ stored: AssociatedQuantities) {
    add(stored)
  }

  /// Adds the quantities of more samples.
  mutating func add(_ stored: AssociatedQuantities) {
    for (identifier, values) in stored.values {
      // Skip a type that was saved by a newer version.
      guard let type = ObjectTypes.type(identifier) as? HKQuantityType,
        let keys = stored.keys[identifier]
      else { continue }
      quantities[identifier, default: GrowingQuantities(type)].add(values, keys)
    }
  }

  /// Returns the statistics of all quantities of a type, or nil if there are none.
  func statistics(for type: HKQuantityType) -> HKStatistics? {
    quantities[type.identifier]?.statistics
  }

  /// The statistics by type. Skips quantities in a unit that only a newer version knows.
  var allStatistics: [HKQuantityType: HKStatistics] {
    all { $0.statistics }
  }

  /// Returns the statistics of the selected quantities by type.
  func allStatistics(where isIncluded: (SampledValue) -> Bool) -> [HKQuantityType: HKStatistics] {
    all { $0.statistics(where: isIncluded) }
  }

  private func all(
    _ statistics: (GrowingQuantities) -> HKStatistics?
  ) -> [HKQuantityType: HKStatistics] {
    var all: [HKQuantityType: HKStatistics] = [:]
    for quantities in quantities.values { all[quantities.type] = statistics(quantities) }
    return all
  }
}

extension HKWorkout {
  /// Sets the statistics of the workout and its activities. Must be called before other threads can access
  /// the workout.
  func take(_ quantities: WorkoutQuantities) {
    storedStatistics = quantities.allStatistics
    for activity in workoutActivities {
      let start = Microseconds.clamped(activity.startDate)
      let end = Microseconds.clamped(activity.endDate ?? endDate)
      // A sample that starts exactly when one activity ends and the next begins belongs to the next one. The
      // last activity includes its end.
      let isLast = end >= interval.endMicroseconds
      activity.take(
        quantities.allStatistics { $0.start >= start && ($0.start < end || (isLast && $0.start == end)) })
    }
  }
}

extension WorkoutTotals {
  /// Computes the totals of the samples: active energy, distance of any kind, swimming strokes and flights
  /// climbed.
  init(_ quantities: WorkoutQuantities) {
    func sum(_ types: [HKQuantityTypeIdentifier]) -> HKQuantity? {
      let sums = types.compactMap { quantities.statistics(for: HKQuantityType($0))?.sumQuantity() }
      guard let unit = sums.first?.unit else { return nil }
      return HKQuantity(unit: unit, doubleValue: sums.reduce(0) { $0 + $1.doubleValue(for: unit) })
    }
    self.init(
      energyBurned: sum([.activeEnergyBurned]),
      distance: sum([
        .distanceWalkingRunning, .distanceCycling, .distanceSwimming, .distanceWheelchair,
        .distanceDownhillSnowSports, .distanceCrossCountrySkiing, .distancePaddleSports, .distanceRowing,
        .distanceSkatingSports,
      ]),
      swimmingStrokeCount: sum([.swimmingStrokeCount]), flightsClimbed: sum([.flightsClimbed]))
  }
}

// MARK: - Statistics of growing quantities

/// The quantities of one type in a workout that is in progress, and their statistics so far.
///
/// Statistics are computed from samples ordered by start. Older values are added once to a `StatisticsFold`,
/// which is kept. The most recent values are kept separately, so that a slightly late sample, for example
/// from a second monitor, can be inserted in order. The time to compute the statistics therefore depends on
/// the number of most recent values, not on the length of the workout.
struct GrowingQuantities: Sendable {
  let type: HKQuantityType
  /// The values ordered by start.
  private var values: [SampledValue] = []
  private var keys = SampledValueKeys()
  /// The statistics of the first `foldedCount` values.
  private var fold: StatisticsFold?
  private var foldedCount = 0

  /// The number of most recent values that are not added to `fold`. When twice as many have accumulated, the
  /// older half is added.
  private static let waiting = 256

  init(_ type: HKQuantityType) {
    self.type = type
  }

  /// Adds quantities, including late ones.
  /// - Parameters:
  ///   - new: New values ordered by start.
  ///   - keys: The units and sources to which the new and the existing values refer.
  mutating func add(_ new: [SampledValue], _ keys: SampledValueKeys) {
    guard let first = new.first else { return }
    let isLate = foldedCount > 0 && first.start < values[foldedCount - 1].start
    // If a value is older than those in `fold`, or the order of sources has changed, recompute all
    // statistics.
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

  /// The statistics; nil if a quantity has a unit that only a newer version knows.
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
