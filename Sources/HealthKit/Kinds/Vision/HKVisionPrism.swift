public import Foundation

/// A prism in a lens that corrects double vision.
///
/// A prism is specified either as an amount and an angle, or as two amounts along the axes of the lens. The
/// other form is computed. Angles follow the optician's convention: as seen by someone facing the wearer, 0°
/// points to the right and 90° up. Prisms are equal if both forms and the eye are equal.
///
/// The initializers trap on invalid arguments (Apple's raise an exception); `validated` throws instead.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKVisionPrism: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  private let forms: PrismForms

  init(_ forms: PrismForms) {
    self.forms = forms
  }

  /// Creates a prism from an amount and an angle.
  /// - Parameters:
  ///   - amount: The amount in prism diopters. Must be finite and not negative.
  ///   - angle: The direction of the base. Must be finite.
  public convenience init(amount: HKQuantity, angle: HKQuantity, eye: HKVisionEye) {
    self.init(
      requiring(try PrismForms(amount: amount, angle: angle, eye: eye)))
  }

  /// Creates a prism from a vertical and a horizontal amount.
  /// - Parameters:
  ///   - verticalAmount: The amount in prism diopters. Must be finite and not negative.
  ///   - verticalBase: Up or down; `.none` only if the amount is 0.
  ///   - horizontalAmount: The amount in prism diopters. Must be finite and not negative.
  ///   - horizontalBase: In or out; `.none` only if the amount is 0.
  public convenience init(
    verticalAmount: HKQuantity, verticalBase: HKPrismBase, horizontalAmount: HKQuantity,
    horizontalBase: HKPrismBase, eye: HKVisionEye
  ) {
    self.init(
      requiring(
        try PrismForms(
          verticalAmount: verticalAmount, verticalBase: verticalBase, horizontalAmount: horizontalAmount,
          horizontalBase: horizontalBase, eye: eye)))
  }

  public var amount: HKQuantity { forms.polar.amount }
  /// The direction of the base.
  public var angle: HKQuantity { forms.polar.angle }
  public var verticalAmount: HKQuantity { forms.rectangular.verticalAmount }
  /// Up or down; `.none` if there is no vertical component.
  public var verticalBase: HKPrismBase { forms.rectangular.verticalBase }
  public var horizontalAmount: HKQuantity { forms.rectangular.horizontalAmount }
  /// In or out; `.none` if there is no horizontal component.
  public var horizontalBase: HKPrismBase { forms.rectangular.horizontalBase }
  public var eye: HKVisionEye { forms.eye }

  open override func isEqual(_ object: Any?) -> Bool { (object as? HKVisionPrism)?.forms == forms }
  open override var hash: Int { forms.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    forms.encode(with: coder)
  }

  public required init?(coder: NSCoder) {
    guard let forms = PrismForms(coder: coder) else { return nil }
    self.forms = forms
  }
}

extension HKVisionPrism {
  /// Returns a prism after checking values that come from outside the program.
  /// - Throws: `HKValidationError` if a value is invalid.
  public class func validated(
    amount: HKQuantity, angle: HKQuantity, eye: HKVisionEye
  ) throws(HKValidationError) -> HKVisionPrism {
    HKVisionPrism(try PrismForms(amount: amount, angle: angle, eye: eye))
  }

  /// Returns a prism after checking values that come from outside the program.
  /// - Throws: `HKValidationError` if a value is invalid.
  public class func validated(
    verticalAmount: HKQuantity, verticalBase: HKPrismBase, horizontalAmount: HKQuantity,
    horizontalBase: HKPrismBase, eye: HKVisionEye
  ) throws(HKValidationError) -> HKVisionPrism {
    HKVisionPrism(
      try PrismForms(
        verticalAmount: verticalAmount, verticalBase: verticalBase, horizontalAmount: horizontalAmount,
        horizontalBase: horizontalBase, eye: eye))
  }
}
