extension HKAppleWalkingSteadinessClassification: CaseIterable {
  public static var allCases: [Self] { [.ok, .low, .veryLow] }
}

/// Classifies a walking steadiness score.
///
/// Apple publishes that scores range from 0 to 100 %, but not the limits of the classifications. The limits
/// of 40 % and 20 % are an assumption of this package. An Apple device may classify a score differently.
extension HKAppleWalkingSteadinessClassification {
  /// Creates the classification of a score. A score that equals a limit has the steadier classification.
  /// - Throws: `HKError` errorInvalidArgument if the score is not between 0 and 100 %.
  public init(for appleWalkingSteadiness: HKQuantity) throws {
    guard let score = try? appleWalkingSteadiness.validatedDoubleValue(for: .percent()) else {
      throw HKError(.errorInvalidArgument, reason: "a walking steadiness requires a unit compatible with %")
    }
    guard (0...1).contains(score),
      let found = Self.allCases.first(where: { score >= $0.bounds.lowerBound })
    else {
      throw HKError(.errorInvalidArgument, reason: "a walking steadiness must be between 0 and 100 %")
    }
    self = found
  }

  /// The lowest score with this classification.
  public var minimum: HKQuantity { HKQuantity(unit: .percent(), doubleValue: bounds.lowerBound) }

  /// The highest score with this classification. It is also the lowest score of the next steadier one.
  public var maximum: HKQuantity { HKQuantity(unit: .percent(), doubleValue: bounds.upperBound) }

  private var bounds: ClosedRange<Double> {
    switch self {
    case .ok: 0.4...1
    case .low: 0.2...0.4
    case .veryLow: 0...0.2
    }
  }
}
