import Foundation

@testable import HealthKit
@testable import TestSupport

@available(*, deprecated)
extension RandomSamples {
  /// Returns a random tree of predicates from all factory methods for samples, except those about membership,
  /// which only the store can evaluate.
  mutating func predicate(depth: Int, among samples: [HKSample]) throws -> NSPredicate {
    guard depth > 0, Int.random(in: 0..<3, using: &generator) > 0 else { return try leaf(among: samples) }
    var parts: [NSPredicate] = []
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      parts.append(try predicate(depth: depth - 1, among: samples))
    }
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: return NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    case 1: return NSCompoundPredicate(orPredicateWithSubpredicates: parts)
    default:
      return NSCompoundPredicate(
        notPredicateWithSubpredicate: try parts.first ?? predicate(depth: depth - 1, among: samples))
    }
  }

  private mutating func leaf(among samples: [HKSample]) throws -> NSPredicate {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: NSPredicate(value: flag())
    case 1...2: identity(among: samples)
    case 3: time()
    case 4...5: metadataPredicate()
    case 6: values()
    case 7: workoutPredicate()
    case 8: HKQuery.predicateForWorkouts(activityPredicate: try activityPredicate(depth: 2))
    case 9: clinical()
    case 10: stateOfMindPredicate()
    default: try dose()
    }
  }

  mutating func comparison() -> NSComparisonPredicate.Operator {
    pick([.lessThan, .lessThanOrEqualTo, .equalTo, .notEqualTo, .greaterThanOrEqualTo, .greaterThan])
  }

  private mutating func some(_ samples: [HKSample]) -> [HKSample] {
    Array(samples.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator)))
  }

  private mutating func identity(among samples: [HKSample]) -> NSPredicate {
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: HKQuery.predicateForObject(with: pick(samples).uuid)
    case 1: HKQuery.predicateForObjects(with: Set(some(samples).map(\.uuid)))
    case 2:
      HKQuery.predicateForObjects(from: HKSource(name: "another", bundleIdentifier: pick(["p", "never"])))
    case 3: HKQuery.predicateForObjects(from: Set(some(samples).map(\.sourceRevision.source)))
    case 4: HKQuery.predicateForObjects(from: Set(some(samples).map { pattern($0.sourceRevision) }))
    case 5: HKQuery.predicateForObjects(from: Set(some(samples).compactMap(\.device)))
    default:
      HKQuery.predicateForObjects(
        withDeviceProperty: pick([HKDevicePropertyKeyName, HKDevicePropertyKeyFirmwareVersion]),
        allowedValues: pick([[], ["D"], ["1", "E", "D"]]))
    }
  }

  private mutating func pattern(_ revision: HKSourceRevision) -> HKSourceRevision {
    HKSourceRevision(
      source: revision.source, version: flag() ? HKSourceRevisionAnyVersion : revision.version,
      productType: flag() ? HKSourceRevisionAnyProductType : revision.productType,
      operatingSystemVersion: flag()
        ? HKSourceRevisionAnyOperatingSystem : revision.operatingSystemVersion)
  }

  private mutating func time() -> NSPredicate {
    HKQuery.predicateForSamples(
      withStart: flag() ? date() : nil, end: flag() ? date() : nil,
      options: pick([[], .strictStartDate, .strictEndDate, [.strictStartDate, .strictEndDate]]))
  }

  private mutating func metadataPredicate() -> NSPredicate {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: HKQuery.predicateForObjects(withMetadataKey: key())
    case 1: HKQuery.predicateForObjects(withMetadataKey: key(), allowedValues: [value(), value(), value()])
    case 2:
      HKQuery.predicateForObjects(
        withMetadataKey: key(), operatorType: .between, value: [value(), value()])
    case 3:
      HKQuery.predicateForObjects(
        withMetadataKey: key(), operatorType: pick([.beginsWith, .endsWith, .contains, .like]),
        value: pick(["", "a", "b", "c", "a*", "?b", "*"]))
    default:
      HKQuery.predicateForObjects(withMetadataKey: key(), operatorType: comparison(), value: value())
    }
  }

  private mutating func values() -> NSPredicate {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: HKQuery.predicateForCategorySamples(equalTo: Set([pick([0, 1, 2]), pick([3, 4])]))
    case 1: HKQuery.predicateForCategorySamples(with: comparison(), value: pick([0, 1, 2, 3]))
    default:
      HKQuery.predicateForQuantitySamples(
        with: comparison(), quantity: quantity(Self.masses + Self.lengths + [.millimeterOfMercury()]))
    }
  }

  private mutating func workoutPredicate() -> NSPredicate {
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: HKQuery.predicateForWorkouts(with: pick([.running, .cycling]))
    case 1: HKQuery.predicateForWorkouts(with: comparison(), duration: pick([0, 2, 5]))
    case 2: HKQuery.predicateForWorkouts(with: comparison(), totalEnergyBurned: quantity(Self.energies))
    case 3: HKQuery.predicateForWorkouts(with: comparison(), totalDistance: quantity(Self.lengths))
    case 4: HKQuery.predicateForWorkouts(with: comparison(), totalSwimmingStrokeCount: quantity([.count()]))
    case 5: HKQuery.predicateForWorkouts(with: comparison(), totalFlightsClimbed: quantity([.count()]))
    default:
      HKQuery.predicateForWorkouts(
        operatorType: comparison(), quantityType: HKQuantityType(.bodyMass),
        sumQuantity: quantity(Self.masses))
    }
  }

  private mutating func activityPredicate(depth: Int) throws -> NSPredicate {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &generator) {
    case 0: return HKQuery.predicateForWorkoutActivities(workoutActivityType: pick([.running, .cycling]))
    // Compare with short durations, because the duration of an ongoing activity grows between two
    // evaluations.
    case 1: return HKQuery.predicateForWorkoutActivities(operatorType: comparison(), duration: pick([0, 2]))
    case 2:
      return HKQuery.predicateForWorkoutActivities(
        start: flag() ? date() : nil, end: flag() ? date() : nil,
        options: pick([[], .strictStartDate, .strictEndDate, [.strictStartDate, .strictEndDate]]))
    case 3:
      return NSCompoundPredicate(notPredicateWithSubpredicate: try activityPredicate(depth: depth - 1))
    default:
      return NSCompoundPredicate(
        type: pick([.and, .or]),
        subpredicates: [try activityPredicate(depth: depth - 1), try activityPredicate(depth: depth - 1)])
    }
  }

  private mutating func clinical() -> NSPredicate {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      HKQuery.predicateForElectrocardiograms(classification: pick([.sinusRhythm, .atrialFibrillation]))
    case 1: HKQuery.predicateForElectrocardiograms(symptomsStatus: pick([.none, .present, .notSet]))
    case 2: HKQuery.predicateForClinicalRecords(withFHIRResourceType: pick([.observation, .condition]))
    case 3:
      HKQuery.predicateForClinicalRecords(
        from: HKSource(name: "", bundleIdentifier: pick(["p", "q"])),
        fhirResourceType: pick([.observation, .condition]), identifier: pick(["1", "2"]))
    default:
      HKQuery.predicateForVerifiableClinicalRecords(
        withRelevantDateWithin: DateInterval(start: date(), duration: pick([0, 5])))
    }
  }

  private mutating func stateOfMindPredicate() -> NSPredicate {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: HKQuery.predicateForStatesOfMind(with: HKStateOfMind.Kind.dailyMood)
    case 1: HKQuery.predicateForStatesOfMind(with: pick([HKStateOfMind.Label.calm, .sad]))
    case 2: HKQuery.predicateForStatesOfMind(with: pick([HKStateOfMind.Association.work, .dating]))
    default: HKQuery.predicateForStatesOfMind(withValence: pick([-1, 0, 0.5]), operatorType: comparison())
    }
  }

  private mutating func dose() throws -> NSPredicate {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: HKQuery.predicateForMedicationDoseEvent(status: pick([.taken, .skipped, .snoozed]))
    case 1: HKQuery.predicateForMedicationDoseEvent(statuses: pick([[], [.taken, .snoozed], [.skipped]]))
    case 2: HKQuery.predicateForMedicationDoseEvent(scheduledDate: date())
    case 3: HKQuery.predicateForMedicationDoseEvent(scheduledDates: [date(), date(), date()])
    case 4:
      HKQuery.predicateForMedicationDoseEvent(
        scheduledStart: flag() ? date() : nil, end: flag() ? date() : nil)
    default: HKQuery.predicateForMedicationDoseEvent(medicationConceptIdentifier: try concept())
    }
  }
}
