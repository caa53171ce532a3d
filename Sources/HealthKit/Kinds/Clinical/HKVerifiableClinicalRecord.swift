public import Foundation

/// A record signed by its issuer, such as a SMART Health Card. The sample starts and ends at the relevant
/// date. Read-only.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKVerifiableClinicalRecord: HKSample, @unchecked Sendable {
  let statement: VerifiableClinicalContent

  init(_ content: VerifiableClinicalContent, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    statement = content
    super.init(ObjectTypes.verifiableClinicalRecord, interval, origin)
  }

  /// Creates a record with the given UUID. Not public, because programs cannot create verifiable records.
  package static func make(
    uuid: UUID, _ content: VerifiableClinicalContent, device: HKDevice?, metadata: ObjectMetadata?
  ) throws(HKValidationError) -> HKVerifiableClinicalRecord {
    HKVerifiableClinicalRecord(
      content,
      try SampleInterval(
        start: content.relevantDate, end: content.relevantDate, of: ObjectTypes.verifiableClinicalRecord),
      ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }

  /// What the record certifies: raw values of `HKVerifiableClinicalRecordCredentialType` or other strings.
  public var recordTypes: [String] { statement.recordTypes }
  public var issuerIdentifier: String { statement.issuerIdentifier }
  public var subject: HKVerifiableClinicalRecordSubject { statement.subject }
  public var issuedDate: Date { statement.issuedDate }
  /// The date of the certified event.
  public var relevantDate: Date { statement.relevantDate }
  /// The expiration date; nil if the record does not expire.
  public var expirationDate: Date? { statement.expirationDate }
  /// The names of the items in the record, for display.
  public var itemNames: [String] { statement.itemNames }
  public var sourceType: HKVerifiableClinicalRecordSourceType? { statement.sourceType }
  /// The signed record.
  public var dataRepresentation: Data { statement.dataRepresentation }

  /// The signed record, like `dataRepresentation`. The property has this name because all records used to be
  /// SMART Health Cards, which use JWS compact serialization (RFC 7515 §7.1).
  @available(*, deprecated, renamed: "dataRepresentation")
  public var jwsRepresentation: Data { dataRepresentation }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    statement.encode(with: coder)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) is VerifiableClinicalRecordType,
      let content = VerifiableClinicalContent(coder: coder)
    else { return nil }
    statement = content
    super.init(coder: coder)
    guard startDate == relevantDate, endDate == relevantDate else { return nil }
  }
}

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

/// What a verifiable clinical record certifies. The raw values are those of SMART Health Cards.
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

/// The type of verifiable clinical records. Internal because Apple's framework has no public type for them.
/// Programs can read them but not save them.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
final class VerifiableClinicalRecordType: HKSampleType, @unchecked Sendable {
  package override var isShareable: Bool { false }
  override func requiresPerObjectAuthorization() -> Bool { true }
}
