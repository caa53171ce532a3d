/// The kind of card that a verifiable clinical record comes from.
public struct HKVerifiableClinicalRecordSourceType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKVerifiableClinicalRecordSourceType {
  public static let smartHealthCard = Self(rawValue: "SMARTHealthCard")
  public static let euDigitalCOVIDCertificate = Self(rawValue: "EUDigitalCOVIDCertificate")
}
