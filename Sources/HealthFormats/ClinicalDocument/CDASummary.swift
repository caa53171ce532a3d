public import Foundation

/// What a CDA document says of itself. What it does not say is empty.
public struct CDASummary: Hashable, Sendable {
  public var title: String
  /// Of the person whom the document is about.
  public var patientName: String
  /// Of the person who wrote the document.
  public var authorName: String
  /// Of the organisation that keeps the document.
  public var custodianName: String

  public init(
    title: String = "", patientName: String = "", authorName: String = "", custodianName: String = ""
  ) {
    self.title = title
    self.patientName = patientName
    self.authorName = authorName
    self.custodianName = custodianName
  }
}

extension CDASummary {
  /// A document that is larger is refused before it is read.
  static let largestDocument = 16 << 20

  /// Reads what the document says of itself.
  ///
  /// The document must be well-formed XML of bounded depth without a document type declaration (and so
  /// without entities of its own), be a `ClinicalDocument` of HL7's namespace, and name a record target, an
  /// author and a custodian. It is not compared with HL7's schema. Nothing outside the document is read.
  public init(of document: Data) throws(DocumentFlaw) {
    guard document.count <= Self.largestDocument else {
      throw DocumentFlaw("the document is larger than \(Self.largestDocument) bytes")
    }
    self = try CDAReader.summary(of: document)
  }
}

/// What is wrong with a document. Names what is expected, never what was found.
public struct DocumentFlaw: Error, Hashable, Sendable, CustomStringConvertible {
  public let reason: String

  public var description: String { reason }

  init(_ reason: String) {
    self.reason = reason
  }
}
