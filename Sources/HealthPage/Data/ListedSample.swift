import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// A sample as a list shows it: with the words of `hrgate samples`, and in the units that people are shown.
struct ListedSample: Encodable, Sendable {
  /// Of a correlation.
  struct Member: Encodable, Sendable {
    var type: String
    var value: Double?
    var unit: String?
    var valueName: String?
  }

  var uuid: String
  var type: String
  var start: Date
  var end: Date
  var value: Double?
  var unit: String?
  /// Of a category: its value by name, where this version knows it.
  var valueName: String?
  var workout: SampleLine.WorkoutPart?
  var members: [Member]?
  /// Of a heartbeat series: how many.
  var beats: Int?
  var source: String
  var name: String
  var device: SampleLine.Device?
  var metadata: [String: MetadataValue]

  init(_ sample: HKSample, in units: ShownUnits) {
    let line = SampleLine(sample)
    (uuid, valueName, device, metadata) = (line.uuid, line.valueName, line.device, line.metadata)
    type = TypeName.short(ofIdentifier: line.type)
    (start, end) = (sample.startDate, sample.endDate)
    (value, unit) = units.figure(of: sample, line)
    beats = line.beats?.count
    (source, name) = (line.source.bundleIdentifier, line.source.name)
    workout = line.workout.map { units.shown($0) }
    members = (sample as? HKCorrelation).map { correlation in
      correlation.objects.map { Member($0, in: units) }.sorted { $0.type < $1.type }
    }
  }
}

extension ListedSample.Member {
  fileprivate init(_ sample: HKSample, in units: ShownUnits) {
    let line = SampleLine(sample)
    type = TypeName.short(ofIdentifier: line.type)
    (value, unit) = units.figure(of: sample, line)
    valueName = line.valueName
  }
}

/// The units in which people are shown what is in samples of one type, looked up once for a list of them.
struct ShownUnits: Sendable {
  private let units: [HKQuantityType: HKUnit]

  static func of(_ type: HKSampleType, in store: HKHealthStore) async throws -> ShownUnits {
    let types: Set<HKQuantityType> =
      switch type {
      case let quantity as HKQuantityType: [quantity]
      // Quantities of many types may be in these.
      case is HKCorrelationType, is HKWorkoutType:
        Set(HKSampleType.known.compactMap { $0 as? HKQuantityType })
      default: []
      }
    return ShownUnits(units: types.isEmpty ? [:] : try await store.preferredUnits(for: types))
  }

  /// A quantity's value in the unit that is shown; of other samples what their line says.
  fileprivate func figure(of sample: HKSample, _ line: SampleLine) -> (value: Double?, unit: String?) {
    guard let sample = sample as? HKQuantitySample else { return (line.value, line.unit) }
    let unit = units[sample.quantityType] ?? sample.quantityType.displayUnit
    return (sample.quantity.doubleValue(for: unit), unit.unitString)
  }

  /// The same with its totals in the units of what they are totals of.
  fileprivate func shown(_ workout: SampleLine.WorkoutPart) -> SampleLine.WorkoutPart {
    var shown = workout
    shown.totalEnergyBurned = total(workout.totalEnergyBurned, of: .activeEnergyBurned)
    shown.totalDistance = total(workout.totalDistance, of: .distanceWalkingRunning)
    return shown
  }

  private func total(
    _ total: MetadataValue?, of identifier: HKQuantityTypeIdentifier
  ) -> MetadataValue? {
    guard case .quantity(let quantity)? = total, let unit = units[HKQuantityType(identifier)],
      quantity.is(compatibleWith: unit)
    else { return total }
    return .quantity(HKQuantity(unit: unit, doubleValue: quantity.doubleValue(for: unit)))
  }
}
