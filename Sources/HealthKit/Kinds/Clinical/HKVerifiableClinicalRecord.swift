public import Foundation

/// A record that its issuer signed, such as a SMART Health Card. It lies at its relevant date. Read only.
// @unchecked: as for HKObject.
open class HKVerifiableClinicalRecord: HKSample, @unchecked Sendable {
  let statement: VerifiableClinicalContent

  init(_ content: VerifiableClinicalContent, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    statement = content
    super.init(ObjectTypes.verifiableClinicalRecord, interval, origin)
  }

  /// A record with a UUID of the caller's, for stores.
  package static func make(
    uuid: UUID, _ content: VerifiableClinicalContent, device: HKDevice?, metadata: ObjectMetadata?
  ) throws(HKValidationError) -> HKVerifiableClinicalRecord {
    HKVerifiableClinicalRecord(
      content,
      try SampleInterval(
        start: content.relevantDate, end: content.relevantDate, of: ObjectTypes.verifiableClinicalRecord),
      ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }

  /// What the record attests: raw values of `HKVerifiableClinicalRecordCredentialType`, and others.
  public var recordTypes: [String] { statement.recordTypes }
  public var issuerIdentifier: String { statement.issuerIdentifier }
  public var subject: HKVerifiableClinicalRecordSubject { statement.subject }
  public var issuedDate: Date { statement.issuedDate }
  /// When what the record attests took place.
  public var relevantDate: Date { statement.relevantDate }
  /// nil for a record that does not expire.
  public var expirationDate: Date? { statement.expirationDate }
  /// What the record lists, for a person.
  public var itemNames: [String] { statement.itemNames }
  public var sourceType: HKVerifiableClinicalRecordSourceType? { statement.sourceType }
  /// The record as it was signed.
  public var dataRepresentation: Data { statement.dataRepresentation }

  /// The same, under the name that it had when all records were SMART Health Cards, which are signed in the
  /// compact serialisation of JWS (RFC 7515 §7.1).
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
