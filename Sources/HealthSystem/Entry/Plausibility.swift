import Foundation
import HealthKit
import HealthStorage

extension SystemStore {
  /// Returns a sentence that explains why an entry is probably a mistake, or nil if its value is usual.
  ///
  /// An unusual value is still valid and is saved if the user confirms it. The text contains health values.
  /// - Throws: ``EntryError`` if the entry is not valid; `HKError` from the store.
  package func doubt(about entry: ManualEntry) async throws -> String? {
    let sample = try entry.sample(unit: await entryUnits(isShown: false))
    if let reason = PlausibleDuration.doubt(about: sample) { return reason }
    let members = (sample as? HKCorrelation)?.objects ?? [sample]
    let quantities = members.compactMap { $0 as? HKQuantitySample }
    let unit = try await entryUnits(isShown: true)
    for sample in quantities.sorted(by: { $0.quantityType.identifier > $1.quantityType.identifier }) {
      let shown = entry.unit.flatMap { sample.quantityType.unit(named: $0) } ?? unit(sample.quantityType)
      if let range = PlausibleRange.of(sample.quantityType), !range.contains(sample.quantity) {
        let limits = ManualEntry.limits(range.canonical, of: sample.quantityType, in: shown)
        return "Usual values are \(limits)."
      }
      if let before = try await valueBefore(sample), PlausibleChange.isExceeded(from: before, to: sample) {
        let number = ManualEntry.number(before.quantity.doubleValue(for: shown), in: shown)
        let day = before.startDate.formatted(.iso8601.year().month().day())
        return "The value before, of \(day), is \(number) \(shown.unitString)."
      }
    }
    return nil
  }

  /// Returns the latest value before a sample if its type changes slowly, otherwise nil.
  private func valueBefore(_ sample: HKQuantitySample) async throws -> HKQuantitySample? {
    guard PlausibleChange.largest[sample.quantityType.identifier] != nil else { return nil }
    let earlier = HKQuery.predicateForSamples(
      withStart: sample.startDate.addingTimeInterval(-PlausibleChange.time), end: sample.startDate,
      options: .strictStartDate)
    return try await healthStore.reduceSamples(
      into: nil, [HKSamplePredicate<HKSample>.sample(type: sample.quantityType, predicate: earlier)],
      limit: 1,
      ascending: false
    ) { $0 = $1 as? HKQuantitySample }
  }
}

/// The usual values of a type. A value outside this range is possible, but probably a typing mistake.
struct PlausibleRange {
  /// The range in the canonical unit of the type.
  let canonical: ClosedRange<Double>
  private let unit: HKUnit

  func contains(_ quantity: HKQuantity) -> Bool { canonical.contains(quantity.doubleValue(for: unit)) }

  static func of(_ type: HKQuantityType) -> PlausibleRange? {
    guard let (range, unit) = ranges[HKQuantityTypeIdentifier(rawValue: type.identifier)] else { return nil }
    func canonical(_ bound: Double) -> Double {
      HKQuantity(unit: HKUnit(from: unit), doubleValue: bound).doubleValue(for: type.canonicalUnit)
    }
    return PlausibleRange(
      canonical: canonical(range.lowerBound)...canonical(range.upperBound), unit: type.canonicalUnit)
  }

  private static let ranges: [HKQuantityTypeIdentifier: (ClosedRange<Double>, String)] = [
    .bodyMass: (2...300, "kg"), .leanBodyMass: (1...150, "kg"), .height: (0.4...2.3, "m"),
    .bodyMassIndex: (10...70, "count"), .bodyFatPercentage: (0.02...0.7, "%"),
    .waistCircumference: (0.3...2, "m"), .heartRate: (30...220, "count/min"),
    .restingHeartRate: (30...130, "count/min"), .walkingHeartRateAverage: (40...180, "count/min"),
    .heartRateVariabilitySDNN: (3...300, "ms"), .bodyTemperature: (34...42, "degC"),
    .basalBodyTemperature: (34...40, "degC"), .bloodPressureSystolic: (70...230, "mmHg"),
    .bloodPressureDiastolic: (40...140, "mmHg"), .oxygenSaturation: (0.7...1, "%"),
    .respiratoryRate: (5...60, "count/min"), .bloodGlucose: (36...540, "mg/dL"),
    .vo2Max: (10...95, "mL/kg*min"),
    .stepCount: (0...100_000, "count"), .distanceWalkingRunning: (0...200, "km"),
    .distanceCycling: (0...500, "km"), .distanceSwimming: (0...50, "km"),
    .flightsClimbed: (0...1000, "count"),
    .activeEnergyBurned: (0...10_000, "kcal"), .basalEnergyBurned: (0...6000, "kcal"),
    .dietaryEnergyConsumed: (0...10_000, "kcal"), .dietaryWater: (0...10, "L"),
    .dietaryCaffeine: (0...2000, "mg"),
    .insulinDelivery: (0...200, "IU"), .bloodAlcoholContent: (0...0.5, "%"),
    .numberOfAlcoholicBeverages: (0...40, "count"), .peakExpiratoryFlowRate: (50...1000, "L/min"),
  ]
}

/// The largest usual change between two entries of a slowly changing type, such as body mass.
enum PlausibleChange {
  /// Values more than 90 days apart are not compared. In seconds.
  static let time = 90 * 86_400.0
  /// The largest usual change as a fraction of the earlier value, by type identifier.
  static let largest: [String: Double] = [
    HKQuantityTypeIdentifier.bodyMass.rawValue: 0.2, HKQuantityTypeIdentifier.leanBodyMass.rawValue: 0.25,
    HKQuantityTypeIdentifier.height.rawValue: 0.1,
  ]

  static func isExceeded(from before: HKQuantitySample, to sample: HKQuantitySample) -> Bool {
    guard let largest = largest[sample.quantityType.identifier] else { return false }
    let unit = sample.quantityType.canonicalUnit
    let (old, new) = (before.quantity.doubleValue(for: unit), sample.quantity.doubleValue(for: unit))
    return abs(new - old) > largest * old
  }
}

/// The longest usual duration of an entry, in seconds by type identifier.
enum PlausibleDuration {
  private static let longest: [String: Double] = [
    HKCategoryTypeIdentifier.sleepAnalysis.rawValue: 16, HKCategoryTypeIdentifier.mindfulSession.rawValue: 8,
    HKWorkoutType.workoutType().identifier: 24,
  ]

  static func doubt(about sample: HKSample) -> String? {
    guard let hours = longest[sample.sampleType.identifier],
      sample.endDate.timeIntervalSince(sample.startDate) > hours * 3600
    else { return nil }
    return "It usually lasts at most \(Int(hours)) hours."
  }
}
