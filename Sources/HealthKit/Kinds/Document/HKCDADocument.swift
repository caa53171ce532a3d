public import Foundation
import HealthFormats

/// A document of HL7's Clinical Document Architecture and its header fields. Documents are equal if all their
/// values are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKCDADocument: NSObject, @unchecked Sendable {
  /// The XML; nil if the query did not include it.
  public let documentData: Data?
  private let summary: CDASummary

  init(_ data: Data?, _ summary: CDASummary) {
    documentData = data
    self.summary = summary
  }

  func withoutData() -> HKCDADocument { HKCDADocument(nil, summary) }

  /// The title; empty if the document does not contain one.
  public var title: String { summary.title }
  /// The name of the person whom the document is about; empty if the document does not contain it.
  public var patientName: String { summary.patientName }
  /// The name of the person who wrote the document; empty if the document does not contain it.
  public var authorName: String { summary.authorName }
  /// The name of the organization that keeps the document; empty if the document does not contain it.
  public var custodianName: String { summary.custodianName }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKCDADocument else { return false }
    return other.summary == summary && other.documentData == documentData
  }

  open override var hash: Int { summary.hashValue }
}

// MARK: - Archiving

extension HKCDADocument {
  func encode(with coder: NSCoder) {
    coder.encode(documentData as NSData?, forKey: ArchiveKey.documentData)
    coder.encode(title as NSString, forKey: ArchiveKey.title)
    coder.encode(patientName as NSString, forKey: ArchiveKey.patientName)
    coder.encode(authorName as NSString, forKey: ArchiveKey.authorName)
    coder.encode(custodianName as NSString, forKey: ArchiveKey.custodianName)
  }

  /// Decodes a document. Returns nil if the document is missing or invalid. If the archive contains the XML,
  /// the title and names are parsed from it.
  static func document(from coder: NSCoder) -> HKCDADocument? {
    if let data = coder.data(forKey: ArchiveKey.documentData) {
      return (try? CDASummary(of: data)).map { HKCDADocument(data, $0) }
    }
    guard let title = coder.text(forKey: ArchiveKey.title),
      let patientName = coder.text(forKey: ArchiveKey.patientName),
      let authorName = coder.text(forKey: ArchiveKey.authorName),
      let custodianName = coder.text(forKey: ArchiveKey.custodianName)
    else { return nil }
    return HKCDADocument(
      nil,
      CDASummary(
        title: title, patientName: patientName, authorName: authorName, custodianName: custodianName))
  }

  private enum ArchiveKey {
    static let documentData = "documentData"
    static let title = "title"
    static let patientName = "patientName"
    static let authorName = "authorName"
    static let custodianName = "custodianName"
  }
}

extension CDASummary {
  /// Parses the title and names of a document.
  /// - Throws: `HKError` errorInvalidArgument if the data is not a CDA document. The error's user info has
  ///   the reason.
  init(accepting document: Data) throws(HKError) {
    do {
      self = try CDASummary(of: document)
    } catch {
      throw HKError(
        .errorInvalidArgument, reason: "the data is not a CDA document",
        details: [HKDetailedCDAValidationErrorKey: error.reason])
    }
  }
}
