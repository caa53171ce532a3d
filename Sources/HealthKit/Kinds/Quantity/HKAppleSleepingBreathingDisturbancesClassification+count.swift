extension HKAppleSleepingBreathingDisturbancesClassification: CaseIterable {
  public static var allCases: [Self] { [.notElevated, .elevated] }
}

/// Classifies a number of breathing disturbances.
///
/// Apple does not publish the number at which disturbances count as elevated. The limit of 15 is an
/// assumption of this package: the threshold for moderate sleep apnea in events per hour (American Academy of
/// Sleep Medicine). An Apple device may classify the same number differently.
extension HKAppleSleepingBreathingDisturbancesClassification {
  /// Creates the classification of a count. Returns nil if the quantity has another unit or is negative or
  /// not finite.
  public init?(classifying appleSleepingBreathingDisturbances: HKQuantity) {
    guard let count = try? appleSleepingBreathingDisturbances.validatedDoubleValue(for: .count()), count >= 0,
      count.isFinite
    else { return nil }
    self = count >= Self.elevated.least ? .elevated : .notElevated
  }

  /// The lowest number of disturbances with this classification.
  public var minimum: HKQuantity { HKQuantity(unit: .count(), doubleValue: least) }

  private var least: Double {
    switch self {
    case .notElevated: 0
    case .elevated: 15
    }
  }
}
