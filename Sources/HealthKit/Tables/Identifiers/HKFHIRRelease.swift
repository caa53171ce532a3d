// Made from Data/identifiers.tsv by scripts/generate. Change the data, not this file.

/// A release of FHIR.
public struct HKFHIRRelease: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKFHIRRelease {
  public static let dstu2 = Self(rawValue: "DSTU2")
  public static let r4 = Self(rawValue: "R4")
  public static let unknown = Self(rawValue: "Unknown")
}

extension HKFHIRRelease {
  /// Every identifier of the table.
  static let all: [Self] = [.dstu2, .r4, .unknown]
}
