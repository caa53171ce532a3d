/// What a verifiable clinical record attests. The raw values are those of SMART Health Cards.
public struct HKVerifiableClinicalRecordCredentialType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKVerifiableClinicalRecordCredentialType {
  public static let covid19 = Self(rawValue: "https://smarthealth.cards#covid19")
  public static let immunization = Self(rawValue: "https://smarthealth.cards#immunization")
  public static let laboratory = Self(rawValue: "https://smarthealth.cards#laboratory")
  public static let recovery = Self(rawValue: "https://smarthealth.cards#recovery")
}
