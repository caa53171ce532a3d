public import Foundation

/// A prescription for glasses.
///
/// The initializer traps on invalid arguments (Apple's raises an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKGlassesPrescription: HKVisionPrescription, @unchecked Sendable {
  public let rightEye: HKGlassesLensSpecification?
  public let leftEye: HKGlassesLensSpecification?

  init(
    right: HKGlassesLensSpecification?, left: HKGlassesLensSpecification?, _ interval: SampleInterval,
    _ origin: ObjectOrigin
  ) {
    rightEye = right
    leftEye = left
    super.init(.glasses, interval, origin)
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(rightEye, forKey: ArchiveKey.rightEye)
    coder.encode(leftEye, forKey: ArchiveKey.leftEye)
  }

  public required init?(coder: NSCoder) {
    rightEye = coder.object(HKGlassesLensSpecification.self, forKey: ArchiveKey.rightEye)
    leftEye = coder.object(HKGlassesLensSpecification.self, forKey: ArchiveKey.leftEye)
    guard Self.prescriptionType(from: coder) == .glasses, (try? Self.check(rightEye, leftEye)) != nil else {
      return nil
    }
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let rightEye = "rightEye"
    static let leftEye = "leftEye"
  }
}

// MARK: - Creating prescriptions

extension HKGlassesPrescription {
  /// Returns a new prescription after checking values that come from outside the program.
  ///
  /// ```swift
  /// let prescription = try HKGlassesPrescription.validated(
  ///   rightEyeSpecification: lens, leftEyeSpecification: lens, dateIssued: start)
  /// ```
  ///
  /// - Throws: `HKValidationError` if a prism is for the other eye, the expiration is before the issue, or
  ///   the metadata is invalid.
  public class func validated(
    rightEyeSpecification: HKGlassesLensSpecification?, leftEyeSpecification: HKGlassesLensSpecification?,
    dateIssued: Date, expirationDate: Date? = nil, device: HKDevice? = nil, metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKGlassesPrescription {
    try check(rightEyeSpecification, leftEyeSpecification)
    return HKGlassesPrescription(
      right: rightEyeSpecification, left: leftEyeSpecification,
      try validity(from: dateIssued, to: expirationDate), try ObjectOrigin(device: device, metadata: metadata)
    )
  }

  fileprivate static func check(
    _ right: HKGlassesLensSpecification?, _ left: HKGlassesLensSpecification?
  ) throws(HKValidationError) {
    guard right?.prism?.eye != .left, left?.prism?.eye != .right else {
      throw HKValidationError("the prism of a lens must be for the eye of the lens")
    }
  }
}

extension HKGlassesPrescription {
  private convenience init(as other: HKGlassesPrescription) {
    self.init(right: other.rightEye, left: other.leftEye, other.interval, other.origin)
  }

  /// Creates a prescription.
  /// - Parameters:
  ///   - rightEyeSpecification: A lens whose prism, if any, is for the right eye.
  ///   - leftEyeSpecification: A lens whose prism, if any, is for the left eye.
  ///   - expirationDate: Must not be before `dateIssued`. Nil if the prescription does not expire.
  public convenience init(
    rightEyeSpecification: HKGlassesLensSpecification?, leftEyeSpecification: HKGlassesLensSpecification?,
    dateIssued: Date, expirationDate: Date?, device: HKDevice?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKGlassesPrescription.validated(
          rightEyeSpecification: rightEyeSpecification, leftEyeSpecification: leftEyeSpecification,
          dateIssued: dateIssued, expirationDate: expirationDate, device: device, metadata: metadata)))
  }
}
