import Foundation

/// What only a contact lens has, checked: lengths that are not negative.
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
