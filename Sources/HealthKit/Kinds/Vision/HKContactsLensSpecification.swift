public import Foundation

/// What a contact lens is to do for one eye.
///
/// The initialiser traps where Apple's raises an exception; `validated` throws the reason instead.
// @unchecked: as for HKLensSpecification.
open class HKContactsLensSpecification: HKLensSpecification, @unchecked Sendable {
  private let lens: ContactsLens

  init(_ powers: LensPowers, _ lens: ContactsLens) {
    self.lens = lens
    super.init(powers)
  }

  /// - Parameters:
  ///   - sphere: in diopters, as are `cylinder` and `addPower`; finite.
  ///   - axis: an angle; finite.
  ///   - baseCurve: a length, as is `diameter`; finite and not negative.
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

  /// A specification, or the reason why there cannot be one: for values that come from outside.
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
