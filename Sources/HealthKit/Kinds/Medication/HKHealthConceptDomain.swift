/// What a health concept belongs to.
public struct HKHealthConceptDomain: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKHealthConceptDomain {
  public static let medication = Self(rawValue: "HKHealthConceptDomainMedication")
}
