public import Foundation

/// The header fields of a CDA document. Missing optional fields are empty.
public struct CDASummary: Hashable, Sendable {
  public var title: String
  /// The name of the patient.
  public var patientName: String
  /// The name of the author.
  public var authorName: String
  /// The name of the organization that maintains the document.
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
  /// Maximum size of a document in bytes. A larger one is rejected before it is read.
  static let largestDocument = 16 << 20

  /// Reads the header of a document.
  ///
  /// The document must be well-formed XML of limited depth. It must not have a document type declaration, so
  /// it cannot define entities. The root must be `ClinicalDocument` in HL7's namespace, with a record target,
  /// an author and a custodian. The document is not validated against HL7's schema. No external resource is
  /// read.
  public init(of document: Data) throws(DocumentError) {
    guard document.count <= Self.largestDocument else {
      throw DocumentError("the document is larger than \(Self.largestDocument) bytes")
    }
    self = try CDAReader.summary(of: document)
  }
}

/// An error in a document. The reason says what is expected, and never contains text from the document.
public struct DocumentError: Error, Hashable, Sendable, CustomStringConvertible {
  public let reason: String

  public var description: String { reason }

  init(_ reason: String) {
    self.reason = reason
  }
}
