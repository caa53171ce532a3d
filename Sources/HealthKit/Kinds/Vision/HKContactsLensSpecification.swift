public import Foundation

/// The specification of a contact lens for one eye.
///
/// The initializer traps on invalid arguments (Apple's raises an exception); `validated` throws instead.
// @unchecked: HKLensSpecification is open. All state is `let` and Sendable.
open class HKContactsLensSpecification: HKLensSpecification, @unchecked Sendable {
  private let lens: ContactsLens

  init(_ powers: LensPowers, _ lens: ContactsLens) {
    self.lens = lens
    super.init(powers)
  }

  /// Creates a specification.
  /// - Parameters:
  ///   - sphere: The power in diopters. Must be finite, as must `cylinder` and `addPower` (also in diopters).
  ///   - axis: An angle. Must be finite.
  ///   - baseCurve: A length. Must be finite and not negative, as must `diameter`.
  public convenience init(
    sphere: HKQuantity, cylinder: HKQuantity?, axis: HKQuantity?, addPower: HKQuantity?,
    baseCurve: HKQuantity?, diameter: HKQuantity?
  ) {
    let (powers, lens) = requiring(
      (
        try LensPowers(sphere: sphere, cylinder: cylinder, axis: axis, addPower: addPower),
        try ContactsLens(baseCurve: baseCurve, diameter: diameter)
      ))
    self.init(powers, lens)
  }

  /// Returns a specification after checking values that come from outside the program.
  /// - Throws: `HKValidationError` if a value is invalid.
  public class func validated(
    sphere: HKQuantity, cylinder: HKQuantity? = nil, axis: HKQuantity? = nil, addPower: HKQuantity? = nil,
    baseCurve: HKQuantity? = nil, diameter: HKQuantity? = nil
  ) throws(HKValidationError) -> HKContactsLensSpecification {
    HKContactsLensSpecification(
      try LensPowers(sphere: sphere, cylinder: cylinder, axis: axis, addPower: addPower),
      try ContactsLens(baseCurve: baseCurve, diameter: diameter))
  }

  /// The radius of the back of the lens.
  public var baseCurve: HKQuantity? { lens.baseCurve }
  public var diameter: HKQuantity? { lens.diameter }

  open override func isEqual(_ object: Any?) -> Bool {
    super.isEqual(object) && (object as? HKContactsLensSpecification)?.lens == lens
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(baseCurve, forKey: ArchiveKey.baseCurve)
    coder.encode(diameter, forKey: ArchiveKey.diameter)
  }

  public required init?(coder: NSCoder) {
    guard
      let lens = try? ContactsLens(
        baseCurve: coder.object(HKQuantity.self, forKey: ArchiveKey.baseCurve),
        diameter: coder.object(HKQuantity.self, forKey: ArchiveKey.diameter))
    else { return nil }
    self.lens = lens
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let baseCurve = "baseCurve"
    static let diameter = "diameter"
  }
}

/// The properties that only contact lenses have, validated to be lengths that are finite and not negative.
struct ContactsLens: Hashable, Sendable {
  let baseCurve: HKQuantity?
  let diameter: HKQuantity?

  init(baseCurve: HKQuantity?, diameter: HKQuantity?) throws(HKValidationError) {
    try baseCurve?.checkNotNegative("the base curve of a lens", in: .meter())
    try diameter?.checkNotNegative("the diameter of a lens", in: .meter())
    self.baseCurve = baseCurve
    self.diameter = diameter
  }
}
