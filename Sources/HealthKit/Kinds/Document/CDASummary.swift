import Foundation

/// What HealthKit says of a CDA document without showing it.
struct CDASummary: Hashable, Sendable {
  var title = ""
  var patientName = ""
  var authorName = ""
  var custodianName = ""
}

extension CDASummary {
  /// A document that is larger is refused before it is read.
  static let largestDocument = 16 << 20

  /// Reads what the document says of itself.
  ///
  /// The document must be well-formed XML of bounded depth without a document type declaration (and so without entities
  /// of its own), be a `ClinicalDocument` of HL7's namespace, and name a record target, an author and a custodian. It is
  /// not compared with HL7's schema. Nothing outside the document is read.
  init(of document: Data) throws(HKError) {
    guard document.count <= Self.largestDocument else {
      throw Self.refusal("the document is larger than \(Self.largestDocument) bytes")
    }
    do {
      self = try CDAReader.summary(of: document)
    } catch {
      throw Self.refusal(error.reason)
    }
  }

  private static func refusal(_ flaw: String) -> HKError {
    HKError(
      .errorInvalidArgument, reason: "the data is not a CDA document",
      details: [HKDetailedCDAValidationErrorKey: flaw])
  }
}
