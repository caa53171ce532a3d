public import Foundation

/// What a lens does against double vision: it moves the image towards the base of a prism.
///
/// A prism is given as an amount at an angle, or as two amounts along the axes of the lens; the other form is
/// computed. Angles are in the sense of opticians: seen by someone who faces the wearer, 0° points to the
/// right and 90° up. Equal if both forms and the eye are.
///
/// The initialisers trap where Apple's raise an exception; `validated` throws the reason instead.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKVisionPrism: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  private let forms: PrismForms

  init(_ forms: PrismForms) {
    self.forms = forms
  }

  /// - Parameters:
  ///   - amount: in prism diopters; finite and not negative.
  ///   - angle: of the base; finite.
  public convenience init(amount: HKQuantity, angle: HKQuantity, eye: HKVisionEye) {
    self.init(
      requiring(try PrismForms(amount: amount, angle: angle, eye: eye)))
  }

  /// - Parameters:
  ///   - verticalAmount: in prism diopters; finite and not negative.
  ///   - verticalBase: up or down, or none with an amount of 0.
  ///   - horizontalAmount: in prism diopters; finite and not negative.
  ///   - horizontalBase: in or out, or none with an amount of 0.
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
  /// Up or down; none if there is no vertical part.
  public var verticalBase: HKPrismBase { forms.rectangular.verticalBase }
  public var horizontalAmount: HKQuantity { forms.rectangular.horizontalAmount }
  /// In or out; none if there is no horizontal part.
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
  /// A prism, or the reason why there cannot be one: for values that come from outside.
  public class func validated(
    amount: HKQuantity, angle: HKQuantity, eye: HKVisionEye
  ) throws(HKValidationError) -> HKVisionPrism {
    HKVisionPrism(try PrismForms(amount: amount, angle: angle, eye: eye))
  }

  /// A prism, or the reason why there cannot be one: for values that come from outside.
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
