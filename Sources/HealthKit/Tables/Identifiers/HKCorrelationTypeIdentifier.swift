// Made from Data/identifiers.tsv by scripts/generate. Change the data, not this file.

/// The name of a correlation type.
public struct HKCorrelationTypeIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKCorrelationTypeIdentifier {
  public static let bloodPressure = Self(rawValue: "HKCorrelationTypeIdentifierBloodPressure")
  public static let food = Self(rawValue: "HKCorrelationTypeIdentifierFood")
}

extension HKCorrelationTypeIdentifier {
  /// Every identifier of the table.
  static let all: [Self] = [.bloodPressure, .food]
}
