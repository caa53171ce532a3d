import Foundation

/// The contents of a verifiable clinical record.
package struct VerifiableClinicalContent: Sendable {
  package var recordTypes: [String]
  package var issuerIdentifier: String
  package var subject: HKVerifiableClinicalRecordSubject
  package var issuedDate: Date
  package var relevantDate: Date
  package var expirationDate: Date?
  package var itemNames: [String]
  package var sourceType: HKVerifiableClinicalRecordSourceType?
  package var dataRepresentation: Data

  package init(
    recordTypes: [String], issuerIdentifier: String, subject: HKVerifiableClinicalRecordSubject,
    issuedDate: Date, relevantDate: Date, expirationDate: Date?, itemNames: [String],
    sourceType: HKVerifiableClinicalRecordSourceType?, dataRepresentation: Data
  ) {
    self.recordTypes = recordTypes
    self.issuerIdentifier = issuerIdentifier
    self.subject = subject
    self.issuedDate = issuedDate
    self.relevantDate = relevantDate
    self.expirationDate = expirationDate
    self.itemNames = itemNames
    self.sourceType = sourceType
    self.dataRepresentation = dataRepresentation
  }
}

// MARK: - Archiving

extension VerifiableClinicalContent {
  func encode(with coder: NSCoder) {
    coder.encodeTexts(recordTypes, forKey: ArchiveKey.recordTypes)
    coder.encode(issuerIdentifier as NSString, forKey: ArchiveKey.issuerIdentifier)
    coder.encode(subject, forKey: ArchiveKey.subject)
    coder.encode(issuedDate as NSDate, forKey: ArchiveKey.issuedDate)
    coder.encode(relevantDate as NSDate, forKey: ArchiveKey.relevantDate)
    coder.encode(expirationDate as NSDate?, forKey: ArchiveKey.expirationDate)
    coder.encodeTexts(itemNames, forKey: ArchiveKey.itemNames)
    coder.encode(sourceType.map { $0.rawValue as NSString }, forKey: ArchiveKey.sourceType)
    coder.encode(dataRepresentation as NSData, forKey: ArchiveKey.dataRepresentation)
  }

  init?(coder: NSCoder) {
    guard let recordTypes = coder.texts(forKey: ArchiveKey.recordTypes),
      let issuerIdentifier = coder.text(forKey: ArchiveKey.issuerIdentifier),
      let subject = coder.object(HKVerifiableClinicalRecordSubject.self, forKey: ArchiveKey.subject),
      let issuedDate = coder.date(forKey: ArchiveKey.issuedDate),
      let relevantDate = coder.date(forKey: ArchiveKey.relevantDate),
      let itemNames = coder.texts(forKey: ArchiveKey.itemNames),
      let dataRepresentation = coder.data(forKey: ArchiveKey.dataRepresentation)
    else { return nil }
    self.init(
      recordTypes: recordTypes, issuerIdentifier: issuerIdentifier, subject: subject, issuedDate: issuedDate,
      relevantDate: relevantDate, expirationDate: coder.date(forKey: ArchiveKey.expirationDate),
      itemNames: itemNames,
      sourceType: coder.text(forKey: ArchiveKey.sourceType)
        .map(HKVerifiableClinicalRecordSourceType.init(rawValue:)),
      dataRepresentation: dataRepresentation)
  }

  private enum ArchiveKey {
    static let recordTypes = "recordTypes"
    static let issuerIdentifier = "issuerIdentifier"
    static let subject = "subject"
    static let issuedDate = "issuedDate"
    static let relevantDate = "relevantDate"
    static let expirationDate = "expirationDate"
    static let itemNames = "itemNames"
    static let sourceType = "sourceType"
    static let dataRepresentation = "dataRepresentation"
  }
}
