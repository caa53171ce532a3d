import HealthKit

/// A quantity as one text, as in metadata: `20.5 degC`.
enum QuantityText {
  static func parse(_ text: String) -> HKQuantity? {
    guard let gap = text.firstIndex(of: " "), let value = NumberText.parse(String(text[..<gap])),
      let unit = try? HKUnit.validated(from: String(text[text.index(after: gap)...]))
    else { return nil }
    return HKQuantity(unit: unit, doubleValue: value)
  }

  static func text(_ quantity: HKQuantity) -> String {
    "\(NumberText.text(quantity.doubleValue(for: quantity.unit))) \(quantity.unit.unitString)"
  }
}
