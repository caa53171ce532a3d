import Foundation

/// An archive holds the form that was given: the other is computed anew, so the two cannot disagree.
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
