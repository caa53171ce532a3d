public import Foundation

extension HKHealthStore {
  /// Splits the energy that a person burned into resting and active energy.
  ///
  /// Apple does not publish its formula. Here the resting energy is estimated from the user's sex, age,
  /// height and body mass by the equation of Mifflin and St Jeor. Values that are unknown, or that this
  /// program may not read, are replaced with those of an average adult.
  /// - Parameters:
  ///   - totalEnergy: An energy. Traps on any other unit.
  ///   - resultsHandler: Called once on a background queue with the resting and the active energy in the unit
  ///     of `totalEnergy`. If the end is before the start, called with errorInvalidArgument.
  @available(*, deprecated, message: "save active and basal energy as they are measured")
  @preconcurrency
  public func splitTotalEnergy(
    _ totalEnergy: HKQuantity, start startDate: Date, end endDate: Date,
    resultsHandler: @escaping @Sendable (HKQuantity?, HKQuantity?, (any Error)?) -> Void
  ) {
    requiring(try totalEnergy.check("totalEnergy", in: .kilocalorie()))
    // Start an unstructured task, because this function is not async.
    Task {
      guard startDate <= endDate else {
        return resultsHandler(
          nil, nil, HKError(.errorInvalidArgument, reason: "the end must not be before the start"))
      }
      let body = await body(at: startDate)
      let total = totalEnergy.doubleValue(for: .kilocalorie())
      let resting = min(
        max(total, 0), body.restingKilocaloriesPerDay * endDate.timeIntervalSince(startDate) / 86_400)
      let unit = totalEnergy.unit
      func quantity(_ kilocalories: Double) -> HKQuantity {
        let energy = HKQuantity(unit: .kilocalorie(), doubleValue: kilocalories)
        return HKQuantity(unit: unit, doubleValue: energy.doubleValue(for: unit))
      }
      resultsHandler(quantity(resting), quantity(total - resting), nil)
    }
  }

  private func body(at date: Date) async -> BodyMeasures {
    var body = BodyMeasures()
    if let mass = await latest(.bodyMass) { body.kilograms = mass.doubleValue(for: .gramUnit(with: .kilo)) }
    if let height = await latest(.height) {
      body.centimetres = height.doubleValue(for: .meterUnit(with: .centi))
    }
    if let birth = try? dateOfBirthComponents(),
      let years = Calendar(identifier: .gregorian).dateComponents(
        [.year], from: birth.date ?? date, to: date
      ).year, years > 0
    {
      body.years = Double(years)
    }
    switch try? biologicalSex().biologicalSex {
    case .male: body.sex = .male
    case .female: body.sex = .female
    default: break
    }
    return body
  }

  private func latest(_ identifier: HKQuantityTypeIdentifier) async -> HKQuantity? {
    let latest = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(identifier))],
      sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: 1)
    return try? await latest.result(for: self).first?.quantity
  }
}

/// The properties of a person that determine the resting energy. The default values are those of an average
/// adult.
struct BodyMeasures: Hashable, Sendable {
  enum Sex { case female, male }

  var kilograms = 70.0
  var centimetres = 170.0
  var years = 35.0
  /// The sex; nil to use the mean of the constants for both sexes.
  var sex: Sex?

  /// The resting energy in kilocalories per day.
  ///
  /// Source: M. D. Mifflin, S. T. St Jeor et al., "A new predictive equation for resting energy expenditure
  /// in healthy individuals", American Journal of Clinical Nutrition 51 (1990).
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
