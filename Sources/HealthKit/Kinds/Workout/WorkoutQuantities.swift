import HealthStorage

/// The quantities of the samples that belong to a workout, of several sources merged as statistics are.
struct WorkoutQuantities: Sendable {
  /// By type identifier.
  private var quantities: [String: GrowingQuantities] = [:]

  init() {}

  init(_ stored: AssociatedQuantities) {
    add(stored)
  }

  /// Takes in those of other samples.
  mutating func add(_ stored: AssociatedQuantities) {
    for (identifier, values) in stored.values {
      // Types that this version does not know, which a newer one wrote, are left out.
      guard let type = ObjectTypes.type(identifier) as? HKQuantityType,
        let keys = stored.keys[identifier]
      else { continue }
      quantities[identifier, default: GrowingQuantities(type)].add(values, keys)
    }
  }

  /// Of all quantities of a type; nil without any.
  func statistics(for type: HKQuantityType) -> HKStatistics? {
    quantities[type.identifier]?.statistics
  }

  /// By type. Units that this version does not know are left out.
  var allStatistics: [HKQuantityType: HKStatistics] {
    all { $0.statistics }
  }

  /// Of those that are included.
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
  /// To be called before anybody else has the workout.
  func take(_ quantities: WorkoutQuantities) {
    storedStatistics = quantities.allStatistics
    for activity in workoutActivities {
      let start = Microseconds.clamped(activity.startDate)
      let end = Microseconds.clamped(activity.endDate ?? endDate)
      // What begins where one activity ends and another starts belongs to the other. The last activity
      // includes its end.
      let isLast = end >= interval.endMicroseconds
      activity.take(
        quantities.allStatistics { $0.start >= start && ($0.start < end || (isLast && $0.start == end)) })
    }
  }
}

extension WorkoutTotals {
  /// What the samples of a workout sum up to: the distance of any kind, and energy, strokes and flights.
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
