enum ElectrocardiogramCondition: Hashable, Codable, Sendable {
  /// A raw value, as are those below.
  case classification(Int)
  case symptomsStatus(Int)
  case averageHeartRate(QuantityComparison)

  func holds(_ electrocardiogram: HKElectrocardiogram) -> Bool {
    switch self {
    case .classification(let value): electrocardiogram.classification.rawValue == value
    case .symptomsStatus(let value): electrocardiogram.symptomsStatus.rawValue == value
    case .averageHeartRate(let comparison): comparison.holds(electrocardiogram.averageHeartRate)
    }
  }
}
