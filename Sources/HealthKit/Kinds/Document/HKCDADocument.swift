public import Foundation
import HealthFormats

/// A document of HL7's Clinical Document Architecture, with what it says of itself. Equal if all of it is.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKCDADocument: NSObject, @unchecked Sendable {
  /// The XML; nil if the query did not ask for it.
  public let documentData: Data?
  private let summary: CDASummary

  init(_ data: Data?, _ summary: CDASummary) {
    documentData = data
    self.summary = summary
  }

  func withoutData() -> HKCDADocument { HKCDADocument(nil, summary) }

  /// Empty if the document has none, as are the names.
  public var title: String { summary.title }
  /// Of the person whom the document is about.
  public var patientName: String { summary.patientName }
  /// Of the person who wrote the document.
  public var authorName: String { summary.authorName }
  /// Of the organisation that keeps the document.
  public var custodianName: String { summary.custodianName }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKCDADocument else { return false }
    return other.summary == summary && other.documentData == documentData
  }

  open override var hash: Int { summary.hashValue }
}

// MARK: - Archives

extension HKCDADocument {
  func encode(with coder: NSCoder) {
    coder.encode(documentData as NSData?, forKey: ArchiveKey.documentData)
    coder.encode(title as NSString, forKey: ArchiveKey.title)
    coder.encode(patientName as NSString, forKey: ArchiveKey.patientName)
    coder.encode(authorName as NSString, forKey: ArchiveKey.authorName)
    coder.encode(custodianName as NSString, forKey: ArchiveKey.custodianName)
  }

  /// What the document says of itself is read from it if it is there. nil if there is no document or a wrong
  /// one.
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
