/// The rules of quantities that are parts of objects.
extension HKQuantity {
  /// - Parameter name: what the quantity is, for the reason.
  func check(_ name: String, in unit: HKUnit) throws(HKValidationError) {
    guard self.is(compatibleWith: unit) else {
      throw HKValidationError(
        .invalidArgument, "\(name) requires a unit compatible with \(unit). Incompatible unit: \(self.unit)")
    }
  }

  /// Also that the value is a number.
  func checkFinite(_ name: String, in unit: HKUnit) throws(HKValidationError) {
    try check(name, in: unit)
    guard value.isFinite else { throw HKValidationError(.invalidArgument, "\(name) must be finite") }
  }

  /// Also that the value is not negative.
  func checkNotNegative(_ name: String, in unit: HKUnit) throws(HKValidationError) {
    try checkFinite(name, in: unit)
    guard value >= 0 else { throw HKValidationError(.invalidArgument, "\(name) must not be negative") }
  }
}
