public import Foundation

/// A document about a person's health. A sample is an `HKCDADocumentSample`.
// @unchecked: as for HKObject.
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
