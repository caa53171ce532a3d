public import Foundation

extension HKHealthStore {
  /// Tells what of some energy a person burned by being active, and what they would have burned at rest.
  ///
  /// Apple does not publish its formula. Here Mifflin and St Jeor's estimate gives the energy at rest, from
  /// the user's sex, age, height and body mass. What is unknown, or closed to this program, is taken from a
  /// usual adult.
  /// - Parameters:
  ///   - totalEnergy: an energy; traps on anything else.
  ///   - resultsHandler: called once on a background queue, with the resting and the active energy in the
  ///     unit given; with errorInvalidArgument if the end is before the start.
  @available(*, deprecated, message: "save active and basal energy as they are measured")
  @preconcurrency
  public func splitTotalEnergy(
    _ totalEnergy: HKQuantity, start startDate: Date, end endDate: Date,
    resultsHandler: @escaping @Sendable (HKQuantity?, HKQuantity?, (any Error)?) -> Void
  ) {
    requiring(try totalEnergy.check("totalEnergy", in: .kilocalorie()))
    // A completion handler has no task to be a child of.
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
