public import Foundation
import HealthFormats

/// A sample with a document of HL7's Clinical Document Architecture.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKCDADocumentSample: HKDocumentSample, @unchecked Sendable {
  /// The document; nil if the query did not read it from the store.
  public let document: HKCDADocument?

  init(_ document: HKCDADocument?, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.document = document
    super.init(HKDocumentType(.CDA), interval, origin)
  }

  /// Creates a sample from a CDA document.
  /// - Parameters:
  ///   - data: A CDA document as XML.
  ///   - start: Must not be after `end`, and at most four days before it.
  ///   - metadata: Values are String, NSNumber, Date or HKQuantity. A sync identifier requires a sync
  ///     version.
  /// - Throws: `HKError` errorInvalidArgument. If the document is invalid, the user info has the reason under
  ///   `HKDetailedCDAValidationErrorKey`.
  public convenience init(data: Data, start: Date, end: Date, metadata: [String: Any]?) throws {
    let document = HKCDADocument(data, try CDASummary(accepting: data))
    do {
      self.init(
        document, try SampleInterval(start: start, end: end, of: HKDocumentType(.CDA)),
        try ObjectOrigin(device: nil, metadata: metadata))
    } catch {
      throw HKError(invalid: error)
    }
  }

  /// Creates a sample without its document, which is kept only in the store.
  package convenience init(start: Date, end: Date, uuid: UUID) throws(HKValidationError) {
    self.init(
      nil, try SampleInterval(start: start, end: end, of: HKDocumentType(.CDA)), ObjectOrigin(uuid: uuid))
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(document != nil, forKey: ArchiveKey.hasDocument)
    document?.encode(with: coder)
  }

  public required init?(coder: NSCoder) {
    guard let hasDocument = coder.flag(forKey: ArchiveKey.hasDocument) else { return nil }
    document = hasDocument ? HKCDADocument.document(from: coder) : nil
    guard (document != nil) == hasDocument else { return nil }
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let hasDocument = "hasDocument"
  }
}

/// A document about a person's health. All samples are of the subclass `HKCDADocumentSample`.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKDocumentSample: HKSample, @unchecked Sendable {
  public let documentType: HKDocumentType

  init(_ type: HKDocumentType, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    documentType = type
    super.init(type, interval, origin)
  }

  // MARK: - NSSecureCoding

  public required init?(coder: NSCoder) {
    guard let type = HKSample.type(from: coder) as? HKDocumentType else { return nil }
    documentType = type
    super.init(coder: coder)
  }
}

/// The type of documents.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKDocumentType: HKSampleType, @unchecked Sendable {
  /// The duration of a document: at most four days, the limit of Apple's framework for CDA documents.
  override var durations: ClosedRange<TimeInterval> { 0...345_600 }
}

extension HKInitializable where Self: HKDocumentType {
  /// Creates the type with an identifier.
  ///
  /// Traps if the identifier is unknown; `documentType(forIdentifier:)` returns nil instead.
  public init(_ identifier: HKDocumentTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKDocumentType.self))
  }
}
