extension HKAppleWalkingSteadinessClassification: CaseIterable {
  public static var allCases: [Self] { [.ok, .low, .veryLow] }
}

/// The scores of each classification.
///
/// Apple publishes that scores run from 0 to 100 %, and not where one classification ends: the bounds of 40 %
/// and 20 % are an assumption of this package. A device of Apple's may classify a score otherwise.
extension HKAppleWalkingSteadinessClassification {
  /// The classification of a score; one on a bound is of the steadier classification.
  /// - Throws: `HKError.errorInvalidArgument` for a score that is not from 0 to 100 %.
  public init(for appleWalkingSteadiness: HKQuantity) throws {
    guard let score = try? appleWalkingSteadiness.validatedDoubleValue(for: .percent()) else {
      throw HKError(.errorInvalidArgument, reason: "a walking steadiness requires a unit compatible with %")
    }
    guard (0...1).contains(score),
      let found = Self.allCases.first(where: { score >= $0.bounds.lowerBound })
    else {
      throw HKError(.errorInvalidArgument, reason: "a walking steadiness lies between 0 and 100 %")
    }
    self = found
  }

  /// The least score of the classification.
  public var minimum: HKQuantity { HKQuantity(unit: .percent(), doubleValue: bounds.lowerBound) }

  /// Where the classification ends and a steadier one begins.
  public var maximum: HKQuantity { HKQuantity(unit: .percent(), doubleValue: bounds.upperBound) }

  private var bounds: ClosedRange<Double> {
    switch self {
    case .ok: 0.4...1
    case .low: 0.2...0.4
    case .veryLow: 0...0.2
    }
  }
}
