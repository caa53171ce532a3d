extension HKAppleSleepingBreathingDisturbancesClassification: CaseIterable {
  public static var allCases: [Self] { [.notElevated, .elevated] }
}

/// The counts of each classification.
///
/// Apple does not publish from which count on disturbances are elevated. The bound of 15 is an assumption of
/// this package: that of moderate sleep apnoea in disturbances an hour (American Academy of Sleep Medicine).
/// A device of Apple's may classify a count otherwise.
extension HKAppleSleepingBreathingDisturbancesClassification {
  /// The classification of a count; nil for what is no count of disturbances: another unit, a negative number
  /// or none.
  public init?(classifying appleSleepingBreathingDisturbances: HKQuantity) {
    guard let count = try? appleSleepingBreathingDisturbances.validatedDoubleValue(for: .count()), count >= 0,
      count.isFinite
    else { return nil }
    self = count >= Self.elevated.least ? .elevated : .notElevated
  }

  /// The least count of the classification.
  public var minimum: HKQuantity { HKQuantity(unit: .count(), doubleValue: least) }

  private var least: Double {
    switch self {
    case .notElevated: 0
    case .elevated: 15
    }
  }
}
