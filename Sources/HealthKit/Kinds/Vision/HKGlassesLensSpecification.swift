public import Foundation

/// What a lens of glasses is to do for one eye.
///
/// The initialiser traps where Apple's raises an exception; `validated` throws the reason instead.
// @unchecked: as for HKLensSpecification.
open class HKGlassesLensSpecification: HKLensSpecification, @unchecked Sendable {
  private let lens: GlassesLens

  init(_ powers: LensPowers, _ lens: GlassesLens) {
    self.lens = lens
    super.init(powers)
  }

  /// - Parameters:
  ///   - sphere: in diopters, as are `cylinder` and `addPower`; finite.
  ///   - axis: an angle; finite.
  ///   - vertexDistance: a length, as are the pupillary distances; finite and not negative.
  ///   - prism: of the eye for which a prescription uses the specification.
  public convenience init(
    sphere: HKQuantity, cylinder: HKQuantity?, axis: HKQuantity?, addPower: HKQuantity?,
    vertexDistance: HKQuantity?, prism: HKVisionPrism?, farPupillaryDistance: HKQuantity?,
    nearPupillaryDistance: HKQuantity?
  ) {
    let (powers, lens) = requiring(
      (
        try LensPowers(sphere: sphere, cylinder: cylinder, axis: axis, addPower: addPower),
        try GlassesLens(
          vertexDistance: vertexDistance, prism: prism, farPupillaryDistance: farPupillaryDistance,
          nearPupillaryDistance: nearPupillaryDistance)
      ))
    self.init(powers, lens)
  }

  /// A specification, or the reason why there cannot be one: for values that come from outside.
  public class func validated(
    sphere: HKQuantity, cylinder: HKQuantity? = nil, axis: HKQuantity? = nil, addPower: HKQuantity? = nil,
    vertexDistance: HKQuantity? = nil, prism: HKVisionPrism? = nil, farPupillaryDistance: HKQuantity? = nil,
    nearPupillaryDistance: HKQuantity? = nil
  ) throws(HKValidationError) -> HKGlassesLensSpecification {
    HKGlassesLensSpecification(
      try LensPowers(sphere: sphere, cylinder: cylinder, axis: axis, addPower: addPower),
      try GlassesLens(
        vertexDistance: vertexDistance, prism: prism, farPupillaryDistance: farPupillaryDistance,
        nearPupillaryDistance: nearPupillaryDistance))
  }

  /// From the back of the lens to the eye.
  public var vertexDistance: HKQuantity? { lens.vertexDistance }
  public var prism: HKVisionPrism? { lens.prism }
  /// From the pupil to the middle of the nose, when looking far.
  public var farPupillaryDistance: HKQuantity? { lens.farPupillaryDistance }
  /// From the pupil to the middle of the nose, when looking near.
  public var nearPupillaryDistance: HKQuantity? { lens.nearPupillaryDistance }

  open override func isEqual(_ object: Any?) -> Bool {
    super.isEqual(object) && (object as? HKGlassesLensSpecification)?.lens == lens
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(vertexDistance, forKey: ArchiveKey.vertexDistance)
    coder.encode(prism, forKey: ArchiveKey.prism)
    coder.encode(farPupillaryDistance, forKey: ArchiveKey.farPupillaryDistance)
    coder.encode(nearPupillaryDistance, forKey: ArchiveKey.nearPupillaryDistance)
  }

  public required init?(coder: NSCoder) {
    guard
      let lens = try? GlassesLens(
        vertexDistance: coder.object(HKQuantity.self, forKey: ArchiveKey.vertexDistance),
        prism: coder.object(HKVisionPrism.self, forKey: ArchiveKey.prism),
        farPupillaryDistance: coder.object(HKQuantity.self, forKey: ArchiveKey.farPupillaryDistance),
        nearPupillaryDistance: coder.object(HKQuantity.self, forKey: ArchiveKey.nearPupillaryDistance))
    else { return nil }
    self.lens = lens
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let vertexDistance = "vertexDistance"
    static let prism = "prism"
    static let farPupillaryDistance = "farPupillaryDistance"
    static let nearPupillaryDistance = "nearPupillaryDistance"
  }
}
