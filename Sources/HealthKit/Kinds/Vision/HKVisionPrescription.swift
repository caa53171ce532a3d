public import Foundation

/// A prescription for lenses. The sample starts on the issue date and ends on the expiration date, if there
/// is one.
///
/// The initializer traps on invalid arguments (Apple's raises an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKVisionPrescription: HKSample, NSCopying, @unchecked Sendable {
  public let prescriptionType: HKVisionPrescriptionType

  init(_ type: HKVisionPrescriptionType, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    prescriptionType = type
    super.init(ObjectTypes.visionPrescription, interval, origin)
  }

  public var dateIssued: Date { startDate }
  /// The expiration date; nil if the prescription does not expire.
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

// MARK: - Creating prescriptions

extension HKVisionPrescription {
  /// Returns a new prescription after checking values that come from outside the program.
  /// - Throws: `HKValidationError` if a value is invalid.
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

  /// Creates a prescription without lens specifications.
  /// - Parameters:
  ///   - expirationDate: Must not be before `dateIssued`. Nil if the prescription does not expire.
  ///   - metadata: Values are String, NSNumber, Date or HKQuantity. A sync identifier requires a sync
  ///     version.
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

/// The type of prescriptions. The user authorizes reading for each prescription separately.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKPrescriptionType: HKSampleType, @unchecked Sendable {
  /// Always true, because a prescription may have no expiration date.
  package override var isOpenEnded: Bool { true }

  public override func requiresPerObjectAuthorization() -> Bool { true }
}
