import HealthStorage

/// The quantities of the samples that belong to a workout.
struct WorkoutQuantities: Sendable {
  /// By type identifier; in order of their starts unless the type is among the unordered ones.
  private(set) var values: [String: [SampledValue]] = [:]
  private var keys: [String: SampledValueKeys] = [:]
  private var unordered: Set<String> = []
  private var unitKeys: [String: Int64] = [:]

  init() {}

  init(_ stored: AssociatedQuantities) {
    values = stored.values
    keys = stored.keys
  }

  /// Takes in a quantity of a sample that is being added.
  mutating func add(_ quantity: HKQuantity, of type: HKQuantityType, start: Int64, end: Int64) {
    let symbol = quantity.unit.unitString
    let unit = unitKeys[symbol] ?? Int64(unitKeys.count)
    unitKeys[symbol] = unit
    keys[type.identifier, default: .ofOneSource].units[unit] = symbol
    if let last = values[type.identifier]?.last, last.start > start { unordered.insert(type.identifier) }
    values[type.identifier, default: []].append(
      SampledValue(start: start, end: end, value: quantity.value, unit: unit, provenance: 0))
  }

  /// Of all quantities of a type; nil without any.
  func statistics(for type: HKQuantityType) -> HKStatistics? {
    statistics(type) { _ in true }
  }

  /// By type. Types and units that this version does not know, which a newer one wrote, are left out.
  func allStatistics(
    where isIncluded: (SampledValue) -> Bool = { _ in true }
  ) -> [HKQuantityType: HKStatistics] {
    var all: [HKQuantityType: HKStatistics] = [:]
    for identifier in values.keys {
      guard let type = ObjectTypes.type(identifier) as? HKQuantityType else { continue }
      all[type] = statistics(type, where: isIncluded)
    }
    return all
  }

  private func statistics(
    _ type: HKQuantityType, where isIncluded: (SampledValue) -> Bool
  ) -> HKStatistics? {
    var included = values[type.identifier, default: []].filter(isIncluded)
    if unordered.contains(type.identifier) { included.sort { $0.start < $1.start } }
    return try? HKStatistics.of(type, included, keys[type.identifier] ?? .ofOneSource)
  }
}

extension SampledValueKeys {
  /// For quantities of provenance 0, which are not stored yet.
  static let ofOneSource = SampledValueKeys(
    sources: [SourceRecord(bundleIdentifier: "", name: "")], provenances: [0: 0])
}

extension HKWorkout {
  /// To be called before anybody else has the workout.
  func take(_ quantities: WorkoutQuantities) {
    storedStatistics = quantities.allStatistics()
    for activity in workoutActivities {
      let start = Microseconds.clamped(activity.startDate)
      let end = Microseconds.clamped(activity.endDate ?? endDate)
      // What begins where one activity ends and another starts belongs to the other; the last one has its end.
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
