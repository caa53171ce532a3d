public import Foundation

/// A prescription of lenses: it starts when it was issued and ends when it expires, or goes on.
///
/// The initialiser traps where Apple's raises an exception; `validated` throws the reason instead.
// @unchecked: as for HKObject.
open class HKVisionPrescription: HKSample, NSCopying, @unchecked Sendable {
  public let prescriptionType: HKVisionPrescriptionType

  init(_ type: HKVisionPrescriptionType, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    prescriptionType = type
    super.init(ObjectTypes.visionPrescription, interval, origin)
  }

  public var dateIssued: Date { startDate }
  /// nil for a prescription that does not expire.
  public var expirationDate: Date? { hasUndeterminedDuration ? nil : endDate }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(Int(prescriptionType.rawValue), forKey: ArchiveKey.prescriptionType)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) is HKPrescriptionType, let type = Self.prescriptionType(from: coder)
    else {
      return nil
    }
    prescriptionType = type
    super.init(coder: coder)
  }

  static func prescriptionType(from coder: NSCoder) -> HKVisionPrescriptionType? {
    coder.value(HKVisionPrescriptionType.self, forKey: ArchiveKey.prescriptionType)
  }

  private enum ArchiveKey {
    static let prescriptionType = "prescriptionType"
  }
}

// MARK: - Making prescriptions

extension HKVisionPrescription {
  /// A new prescription, or the reason why there cannot be one: for values that come from outside.
  public class func validated(
    type: HKVisionPrescriptionType, dateIssued: Date, expirationDate: Date? = nil, device: HKDevice? = nil,
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKVisionPrescription {
    HKVisionPrescription(
      type, try validity(from: dateIssued, to: expirationDate),
      try ObjectOrigin(device: device, metadata: metadata))
  }

  static func validity(from issued: Date, to expiration: Date?) throws(HKValidationError) -> SampleInterval {
    try SampleInterval(start: issued, end: expiration ?? .distantFuture, of: ObjectTypes.visionPrescription)
  }
}

extension HKVisionPrescription {
  private convenience init(as other: HKVisionPrescription) {
    self.init(other.prescriptionType, other.interval, other.origin)
  }

  /// - Parameters:
  ///   - expirationDate: not before `dateIssued`; nil for a prescription that does not expire.
  ///   - metadata: values are String, NSNumber, Date or HKQuantity; a sync identifier needs a sync version.
  public convenience init(
    type: HKVisionPrescriptionType, dateIssued: Date, expirationDate: Date?, device: HKDevice?,
    metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKVisionPrescription.validated(
          type: type, dateIssued: dateIssued, expirationDate: expirationDate, device: device,
          metadata: metadata)))
  }
}
