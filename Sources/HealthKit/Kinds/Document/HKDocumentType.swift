import Foundation

/// The type of documents.
// @unchecked: as for HKObjectType.
public final class HKDocumentType: HKSampleType, @unchecked Sendable {
  /// Four days, as Apple's framework requires of CDA documents.
  override var durations: ClosedRange<TimeInterval> { 0...345_600 }
}

extension HKInitializable where Self: HKDocumentType {
  /// Traps on an identifier that is not in the table; `documentType(forIdentifier:)` answers nil instead.
  public init(_ identifier: HKDocumentTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKDocumentType.self))
  }
}
