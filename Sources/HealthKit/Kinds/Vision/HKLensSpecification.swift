public import Foundation

/// The specification of a lens for one eye: an `HKGlassesLensSpecification` or an
/// `HKContactsLensSpecification`.
///
/// Specifications are equal if they have the same class and equal values.
// @unchecked: the class is open, like Apple's. All state, also of subclasses, is `let` and Sendable.
open class HKLensSpecification: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  let powers: LensPowers

  init(_ powers: LensPowers) {
    self.powers = powers
  }

  /// The power that corrects near- or farsightedness, in diopters.
  public var sphere: HKQuantity { powers.sphere }
  /// The power that corrects astigmatism, in diopters.
  public var cylinder: HKQuantity? { powers.cylinder }
  /// The angle of the cylinder's axis.
  public var axis: HKQuantity? { powers.axis }
  /// The additional power for near vision, in diopters.
  public var addPower: HKQuantity? { powers.addPower }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKLensSpecification else { return false }
    return type(of: other) == type(of: self) && other.powers == powers
  }

  open override var hash: Int { powers.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    powers.encode(with: coder)
  }

  public required init?(coder: NSCoder) {
    guard let powers = LensPowers(coder: coder) else { return nil }
    self.powers = powers
  }
}

/// The properties that glasses and contact lenses have in common, validated to be finite.
struct LensPowers: Hashable, Sendable {
  let sphere: HKQuantity
  let cylinder: HKQuantity?
  let axis: HKQuantity?
  let addPower: HKQuantity?

  init(
    sphere: HKQuantity, cylinder: HKQuantity?, axis: HKQuantity?, addPower: HKQuantity?
  ) throws(HKValidationError) {
    try sphere.checkFinite("the sphere of a lens", in: .diopter())
    try cylinder?.checkFinite("the cylinder of a lens", in: .diopter())
    try axis?.checkFinite("the axis of a lens", in: .degreeAngle())
    try addPower?.checkFinite("the add power of a lens", in: .diopter())
    self.sphere = sphere
    self.cylinder = cylinder
    self.axis = axis
    self.addPower = addPower
  }
}

// MARK: - Archiving

extension LensPowers {
  func encode(with coder: NSCoder) {
    coder.encode(sphere, forKey: ArchiveKey.sphere)
    coder.encode(cylinder, forKey: ArchiveKey.cylinder)
    coder.encode(axis, forKey: ArchiveKey.axis)
    coder.encode(addPower, forKey: ArchiveKey.addPower)
  }

  init?(coder: NSCoder) {
    guard let sphere = coder.object(HKQuantity.self, forKey: ArchiveKey.sphere),
      let powers = try? LensPowers(
        sphere: sphere, cylinder: coder.object(HKQuantity.self, forKey: ArchiveKey.cylinder),
        axis: coder.object(HKQuantity.self, forKey: ArchiveKey.axis),
        addPower: coder.object(HKQuantity.self, forKey: ArchiveKey.addPower))
    else { return nil }
    self = powers
  }

  private enum ArchiveKey {
    static let sphere = "sphere"
    static let cylinder = "cylinder"
    static let axis = "axis"
    static let addPower = "addPower"
  }
}
