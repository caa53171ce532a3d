public import Foundation
import HealthFormats

/// A document of HL7's Clinical Document Architecture.
// @unchecked: as for HKObject.
open class HKCDADocumentSample: HKDocumentSample, @unchecked Sendable {
  /// nil if a query left it in the store.
  public let document: HKCDADocument?

  init(_ document: HKCDADocument?, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.document = document
    super.init(HKDocumentType(.CDA), interval, origin)
  }

  /// - Parameters:
  ///   - data: a CDA document, as XML.
  ///   - start: not after `end`, and at most four days before it.
  ///   - metadata: values are String, NSNumber, Date or HKQuantity; a sync identifier needs a sync version.
  /// - Throws: `HKError.errorInvalidArgument`. If it is the document that is at fault, the error's user info
  ///   says how, under `HKDetailedCDAValidationErrorKey`.
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

  /// A sample whose document a query left in the store.
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
