import Foundation

/// A validated prism in both of its forms: an amount and an angle, and two amounts along the axes of the
/// lens.
///
/// Angles follow the optician's convention: as seen by someone facing the wearer, 0° points to the right and
/// 90° up. 0° therefore points towards the nose for the right eye and away from it for the left eye.
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

  /// The form that was specified. The other one is computed from it.
  enum Given: Sendable {
    case polar, rectangular
  }

  let polar: Polar
  let rectangular: Rectangular
  let eye: HKVisionEye
  let given: Given
}

extension PrismForms: Hashable {
  /// Prisms can be equal even if different forms were specified.
  static func == (one: Self, other: Self) -> Bool {
    one.polar == other.polar && one.rectangular == other.rectangular && one.eye == other.eye
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(polar)
    hasher.combine(eye)
  }
}

// MARK: - Creating from an amount and an angle

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

  /// Returns a direction as a unit vector. It is exact for multiples of 90°: a prism with its base up must
  /// have no horizontal component at all.
  private static func direction(_ degrees: Double) -> (cosine: Double, sine: Double) {
    let radians = degrees.remainder(dividingBy: 360) * .pi / 180
    return (snapped(cos(radians)), snapped(sin(radians)))
  }

  private static func snapped(_ component: Double) -> Double {
    // Treat tiny components as 0. The limit is far above the rounding errors of `cos` and `sin`, and far
    // below any realistic amount.
    abs(component) < 1e-12 ? 0 : component
  }

  private static func base(_ component: Double, _ positive: HKPrismBase, _ negative: HKPrismBase)
    -> HKPrismBase
  {
    component == 0 ? .none : component > 0 ? positive : negative
  }
}

// MARK: - Creating from two amounts

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

  /// Returns the amount in prism diopters, signed by the direction of its base.
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
  /// Computes the amount and angle from two components.
  /// - Parameters:
  ///   - vertical: The upward component, in prism diopters.
  ///   - horizontal: The component to the right as seen by someone facing the wearer, in prism diopters.
  fileprivate init(vertical: Double, horizontal: Double) {
    let degrees = vertical == 0 && horizontal == 0 ? 0 : atan2(vertical, horizontal) * 180 / .pi
    amount = HKQuantity(unit: .prismDiopter(), doubleValue: hypot(vertical, horizontal))
    angle = HKQuantity(unit: .degreeAngle(), doubleValue: degrees < 0 ? degrees + 360 : degrees)
  }
}

// MARK: - Archiving

// An archive contains only the form that was specified. The other one is computed when decoding, so that they
// always agree.

extension PrismForms {
  func encode(with coder: NSCoder) {
    coder.encode(eye.rawValue, forKey: ArchiveKey.eye)
    switch given {
    case .polar:
      coder.encode(polar.amount, forKey: ArchiveKey.amount)
      coder.encode(polar.angle, forKey: ArchiveKey.angle)
    case .rectangular:
      coder.encode(rectangular.verticalAmount, forKey: ArchiveKey.verticalAmount)
      coder.encode(rectangular.verticalBase.rawValue, forKey: ArchiveKey.verticalBase)
      coder.encode(rectangular.horizontalAmount, forKey: ArchiveKey.horizontalAmount)
      coder.encode(rectangular.horizontalBase.rawValue, forKey: ArchiveKey.horizontalBase)
    }
  }

  init?(coder: NSCoder) {
    guard let eye = coder.value(HKVisionEye.self, forKey: ArchiveKey.eye),
      let forms = coder.hasValue(forKey: ArchiveKey.amount)
        ? Self.polar(coder, eye) : Self.rectangular(coder, eye)
    else { return nil }
    self = forms
  }

  private static func polar(_ coder: NSCoder, _ eye: HKVisionEye) -> Self? {
    guard let amount = coder.object(HKQuantity.self, forKey: ArchiveKey.amount),
      let angle = coder.object(HKQuantity.self, forKey: ArchiveKey.angle)
    else { return nil }
    return try? PrismForms(amount: amount, angle: angle, eye: eye)
  }

  private static func rectangular(_ coder: NSCoder, _ eye: HKVisionEye) -> Self? {
    guard let vertical = coder.object(HKQuantity.self, forKey: ArchiveKey.verticalAmount),
      let verticalBase = coder.value(HKPrismBase.self, forKey: ArchiveKey.verticalBase),
      let horizontal = coder.object(HKQuantity.self, forKey: ArchiveKey.horizontalAmount),
      let horizontalBase = coder.value(HKPrismBase.self, forKey: ArchiveKey.horizontalBase)
    else { return nil }
    return try? PrismForms(
      verticalAmount: vertical, verticalBase: verticalBase, horizontalAmount: horizontal,
      horizontalBase: horizontalBase, eye: eye)
  }

  private enum ArchiveKey {
    static let eye = "eye"
    static let amount = "amount"
    static let angle = "angle"
    static let verticalAmount = "verticalAmount"
    static let verticalBase = "verticalBase"
    static let horizontalAmount = "horizontalAmount"
    static let horizontalBase = "horizontalBase"
  }
}
