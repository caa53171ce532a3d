public import Foundation

/// A prescription for contact lenses.
///
/// The initializer traps on invalid arguments (Apple's raises an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKContactsPrescription: HKVisionPrescription, @unchecked Sendable {
  public let rightEye: HKContactsLensSpecification?
  public let leftEye: HKContactsLensSpecification?
  public let brand: String

  init(
    right: HKContactsLensSpecification?, left: HKContactsLensSpecification?, brand: String,
    _ interval: SampleInterval, _ origin: ObjectOrigin
  ) {
    rightEye = right
    leftEye = left
    self.brand = brand
    super.init(.contacts, interval, origin)
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(rightEye, forKey: ArchiveKey.rightEye)
    coder.encode(leftEye, forKey: ArchiveKey.leftEye)
    coder.encode(brand as NSString, forKey: ArchiveKey.brand)
  }

  public required init?(coder: NSCoder) {
    guard Self.prescriptionType(from: coder) == .contacts, let brand = coder.text(forKey: ArchiveKey.brand)
    else {
      return nil
    }
    rightEye = coder.object(HKContactsLensSpecification.self, forKey: ArchiveKey.rightEye)
    leftEye = coder.object(HKContactsLensSpecification.self, forKey: ArchiveKey.leftEye)
    self.brand = brand
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let rightEye = "rightEye"
    static let leftEye = "leftEye"
    static let brand = "brand"
  }
}

// MARK: - Creating prescriptions

extension HKContactsPrescription {
  /// Returns a new prescription after checking values that come from outside the program.
  /// - Throws: `HKValidationError` if a value is invalid.
  public class func validated(
    rightEyeSpecification: HKContactsLensSpecification?, leftEyeSpecification: HKContactsLensSpecification?,
    brand: String, dateIssued: Date, expirationDate: Date? = nil, device: HKDevice? = nil,
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKContactsPrescription {
    HKContactsPrescription(
      right: rightEyeSpecification, left: leftEyeSpecification, brand: brand,
      try validity(from: dateIssued, to: expirationDate), try ObjectOrigin(device: device, metadata: metadata)
    )
  }
}

extension HKContactsPrescription {
  private convenience init(as other: HKContactsPrescription) {
    self.init(right: other.rightEye, left: other.leftEye, brand: other.brand, other.interval, other.origin)
  }

  /// Creates a prescription.
  /// - Parameter expirationDate: Must not be before `dateIssued`. Nil if the prescription does not expire.
  public convenience init(
    rightEyeSpecification: HKContactsLensSpecification?, leftEyeSpecification: HKContactsLensSpecification?,
    brand: String, dateIssued: Date, expirationDate: Date?, device: HKDevice?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKContactsPrescription.validated(
          rightEyeSpecification: rightEyeSpecification, leftEyeSpecification: leftEyeSpecification,
          brand: brand, dateIssued: dateIssued, expirationDate: expirationDate, device: device,
          metadata: metadata)))
  }
}
