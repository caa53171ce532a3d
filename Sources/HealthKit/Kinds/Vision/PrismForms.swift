import Foundation

/// A prism in both of its forms, checked: an amount at an angle, and two amounts along the axes of the lens.
///
/// Angles are those of opticians: seen by someone who faces the wearer, 0° points to the right and 90° up. So
/// 0° points to the nose from the right eye and away from it from the left one.
struct PrismForms: Sendable {
  struct Polar: Hashable, Sendable {
    let amount: HKQuantity
    let angle: HKQuantity
  }

  struct Rectangular: Hashable, Sendable {
    let verticalAmount: HKQuantity
    let verticalBase: HKPrismBase
    let horizontalAmount: HKQuantity
    let horizontalBase: HKPrismBase
  }

  /// The form that was given; the other is computed from it.
  enum Given: Sendable {
    case polar, rectangular
  }

  let polar: Polar
  let rectangular: Rectangular
  let eye: HKVisionEye
  let given: Given
}

extension PrismForms: Hashable {
  /// Which form was given makes no difference.
  static func == (one: Self, other: Self) -> Bool {
    one.polar == other.polar && one.rectangular == other.rectangular && one.eye == other.eye
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(polar)
    hasher.combine(eye)
  }
}

// MARK: - From an amount at an angle

extension PrismForms {
  init(amount: HKQuantity, angle: HKQuantity, eye: HKVisionEye) throws(HKValidationError) {
    try amount.checkNotNegative("the amount of a prism", in: .prismDiopter())
    try angle.checkFinite("the angle of a prism", in: .degreeAngle())
    polar = Polar(amount: amount, angle: angle)
    rectangular = Rectangular(
      size: try amount.validatedDoubleValue(for: .prismDiopter()),
      degrees: try angle.validatedDoubleValue(for: .degreeAngle()), eye)
    self.eye = eye
    given = .polar
  }
}

extension PrismForms.Rectangular {
  fileprivate init(size: Double, degrees: Double, _ eye: HKVisionEye) {
    let (cosine, sine) = Self.direction(degrees)
    let inward = eye == .right ? cosine : -cosine
    verticalAmount = HKQuantity(unit: .prismDiopter(), doubleValue: size * abs(sine))
    verticalBase = Self.base(size * sine, .up, .down)
    horizontalAmount = HKQuantity(unit: .prismDiopter(), doubleValue: size * abs(cosine))
    horizontalBase = Self.base(size * inward, .in, .out)
  }

  /// Of the quarters of a turn exactly: a prism with its base up has no horizontal part, however small.
  private static func direction(_ degrees: Double) -> (cosine: Double, sine: Double) {
    let radians = degrees.remainder(dividingBy: 360) * .pi / 180
    return (snapped(cos(radians)), snapped(sin(radians)))
  }

  private static func snapped(_ component: Double) -> Double {
    abs(component) < 1e-12 ? 0 : component
  }

  private static func base(_ component: Double, _ positive: HKPrismBase, _ negative: HKPrismBase)
    -> HKPrismBase
  {
    component == 0 ? .none : component > 0 ? positive : negative
  }
}

// MARK: - From two amounts

extension PrismForms {
  init(
    verticalAmount: HKQuantity, verticalBase: HKPrismBase, horizontalAmount: HKQuantity,
    horizontalBase: HKPrismBase, eye: HKVisionEye
  ) throws(HKValidationError) {
    let vertical = try Self.component(
      "the vertical amount of a prism", verticalAmount, verticalBase, positive: .up, negative: .down)
    let inward = try Self.component(
      "the horizontal amount of a prism", horizontalAmount, horizontalBase, positive: .in, negative: .out)
    guard hypot(vertical, inward).isFinite else {
      throw HKValidationError(.invalidArgument, "the amounts of a prism are too great together")
    }
    polar = Polar(vertical: vertical, horizontal: eye == .right ? inward : -inward)
    rectangular = Rectangular(
      verticalAmount: verticalAmount, verticalBase: verticalBase, horizontalAmount: horizontalAmount,
      horizontalBase: horizontalBase)
    self.eye = eye
    given = .rectangular
  }

  /// An amount with the sign of its base, in prism diopters.
  private static func component(
    _ name: String, _ amount: HKQuantity, _ base: HKPrismBase, positive: HKPrismBase, negative: HKPrismBase
  ) throws(HKValidationError) -> Double {
    try amount.checkNotNegative(name, in: .prismDiopter())
    let size = try amount.validatedDoubleValue(for: .prismDiopter())
    switch base {
    case positive: return size
    case negative: return -size
    case .none where size == 0: return 0
    default: throw HKValidationError(.invalidArgument, "the base of \(name) does not lie on its axis")
    }
  }
}

extension PrismForms.Polar {
  /// In prism diopters, upwards and to the right of who faces the wearer.
  fileprivate init(vertical: Double, horizontal: Double) {
    let degrees = vertical == 0 && horizontal == 0 ? 0 : atan2(vertical, horizontal) * 180 / .pi
    amount = HKQuantity(unit: .prismDiopter(), doubleValue: hypot(vertical, horizontal))
    angle = HKQuantity(unit: .degreeAngle(), doubleValue: degrees < 0 ? degrees + 360 : degrees)
  }
}
