public import Foundation

/// The specification of a glasses lens for one eye.
///
/// The initializer traps on invalid arguments (Apple's raises an exception); `validated` throws instead.
// @unchecked: HKLensSpecification is open. All state is `let` and Sendable.
open class HKGlassesLensSpecification: HKLensSpecification, @unchecked Sendable {
  private let lens: GlassesLens

  init(_ powers: LensPowers, _ lens: GlassesLens) {
    self.lens = lens
    super.init(powers)
  }

  /// Creates a specification.
  /// - Parameters:
  ///   - sphere: The power in diopters. Must be finite, as must `cylinder` and `addPower` (also in diopters).
  ///   - axis: An angle. Must be finite.
  ///   - vertexDistance: A length. Must be finite and not negative, as must the pupillary distances.
  ///   - prism: The prism for the same eye as the specification; `HKGlassesPrescription` checks this.
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

  /// Returns a specification after checking values that come from outside the program.
  ///
  /// ```swift
  /// let lens = try HKGlassesLensSpecification.validated(
  ///   sphere: HKQuantity(unit: .diopter(), doubleValue: -1.25))
  /// ```
  ///
  /// - Throws: `HKValidationError` if a value is invalid.
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

  /// The distance from the back of the lens to the eye.
  public var vertexDistance: HKQuantity? { lens.vertexDistance }
  public var prism: HKVisionPrism? { lens.prism }
  /// The distance from the pupil to the middle of the nose when looking far.
  public var farPupillaryDistance: HKQuantity? { lens.farPupillaryDistance }
  /// The distance from the pupil to the middle of the nose when looking near.
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

/// The properties that only glasses lenses have, after validation: a prism, and lengths that are finite and
/// not negative.
struct GlassesLens: Hashable, Sendable {
  let vertexDistance: HKQuantity?
  let prism: HKVisionPrism?
  let farPupillaryDistance: HKQuantity?
  let nearPupillaryDistance: HKQuantity?

  init(
    vertexDistance: HKQuantity?, prism: HKVisionPrism?, farPupillaryDistance: HKQuantity?,
    nearPupillaryDistance: HKQuantity?
  ) throws(HKValidationError) {
    try vertexDistance?.checkNotNegative("the vertex distance of a lens", in: .meter())
    try farPupillaryDistance?.checkNotNegative("a far pupillary distance", in: .meter())
    try nearPupillaryDistance?.checkNotNegative("a near pupillary distance", in: .meter())
    self.vertexDistance = vertexDistance
    self.prism = prism
    self.farPupillaryDistance = farPupillaryDistance
    self.nearPupillaryDistance = nearPupillaryDistance
  }
}
