/// What a workout sums up, as far as its maker said.
struct WorkoutTotals: Sendable {
  var energyBurned: HKQuantity?
  var distance: HKQuantity?
  var swimmingStrokeCount: HKQuantity?
  var flightsClimbed: HKQuantity?

  func check() throws(HKValidationError) {
    try check(energyBurned, "total energy burned", .kilocalorie())
    try check(distance, "total distance", .meter())
    try check(swimmingStrokeCount, "total swimming stroke count", .count())
    try check(flightsClimbed, "total flights climbed", .count())
  }

  private func check(_ quantity: HKQuantity?, _ name: String, _ unit: HKUnit) throws(HKValidationError) {
    guard let quantity, !quantity.is(compatibleWith: unit) else { return }
    throw HKValidationError(
      "the \(name) of a workout requires a unit compatible with \(unit); \(quantity.unit) is not")
  }
}
