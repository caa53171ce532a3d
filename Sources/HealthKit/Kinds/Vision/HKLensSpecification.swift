public import Foundation

/// What a lens is to do for one eye. A specification is an `HKGlassesLensSpecification` or an
/// `HKContactsLensSpecification`; equal if all its values are.
// @unchecked: open as Apple's class is, but its state and that of its subclasses is `let` and Sendable.
open class HKLensSpecification: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  let powers: LensPowers

  init(_ powers: LensPowers) {
    self.powers = powers
  }

  /// The power against near- or farsightedness, in diopters.
  public var sphere: HKQuantity { powers.sphere }
  /// The power against astigmatism, in diopters.
  public var cylinder: HKQuantity? { powers.cylinder }
  /// The angle at which the cylinder lies.
  public var axis: HKQuantity? { powers.axis }
  /// What the lens adds for near objects, in diopters.
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
