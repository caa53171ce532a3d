/// What the energy depends on that a person needs at rest. Without more it is that of a usual adult.
struct BodyMeasures: Hashable, Sendable {
  enum Sex { case female, male }

  var kilograms = 70.0
  var centimetres = 170.0
  var years = 35.0
  /// nil for the mean of the two.
  var sex: Sex?

  /// M. D. Mifflin, S. T. St Jeor et al., "A new predictive equation for resting energy expenditure in
  /// healthy individuals", American Journal of Clinical Nutrition 51 (1990).
  var restingKilocaloriesPerDay: Double {
    let constant =
      switch sex {
      case .male: 5.0
      case .female: -161.0
      case nil: -78.0
      }
    return max(0, 10 * kilograms + 6.25 * centimetres - 5 * years + constant)
  }
}
