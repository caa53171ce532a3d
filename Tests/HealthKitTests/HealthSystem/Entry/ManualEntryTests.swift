import Foundation
import HealthKit
import HealthStorage
import HealthSystem
import Testing

/// Tests samples that the user enters, and deleting single samples.
@Suite struct ManualEntryTests {
  private let now = Date(timeIntervalSince1970: 1_700_000_000)
  private let store: SystemStore

  init() throws { store = try SystemStore(HKHealthStore.unnamed()) }

  /// Returns an entry that the type accepts.
  private func entry(_ type: HKSampleType) -> ManualEntry {
    var entry = ManualEntry(type: type, start: now - 60, end: now)
    switch EntryForm(type) {
    case .quantity: entry.value = "30"
    case .bloodPressure: entry.value = "121/79"
    case .category, .workout: entry.value = EntryForm(type)?.choices.last?.name
    case nil: entry.value = "1"
    }
    if type.identifier.hasSuffix("EffortScore") { entry.value = "7" }
    if type == HKQuantityType(.height) { entry.value = "1.7" }
    if type == HKQuantityType(.insulinDelivery) { entry.reason = "basal" }
    return entry
  }

  @Test func `samples of every type that a user can enter are stored, and of no other type`() async throws {
    var added = 0
    for type in HKSampleType.known {
      let entry = entry(type)
      guard EntryForm(type) != nil else {
        #expect(throws: EntryError.self, "\(type)") { try entry.sample { $0.displayUnit } }
        continue
      }
      let sample = try await store.add(entry)
      #expect(sample.sampleType == type)
      #expect(sample.sourceRevision.source.bundleIdentifier == "org.hrgate.health")
      #expect(sample.sourceRevision.source.name == "Health")
      #expect(sample.metadata?[HKMetadataKeyWasUserEntered] as? Bool == true, "\(type)")
      added += 1
    }
    #expect(added > 150)
    let names = ["heartbeatSeries", "electrocardiogram", "audiogram", "workoutRoute", "stateOfMind"]
    for name in names {
      #expect(try EntryForm(#require(TypeName.sampleType(name))) == nil, "\(name)")
    }
  }

  private func quantity(
    _ type: HKQuantityTypeIdentifier, _ value: String, _ unit: String? = nil, in standard: String
  ) throws -> Double {
    var entry = ManualEntry(type: HKQuantityType(type), start: now, end: now)
    (entry.value, entry.unit) = (value, unit)
    let sample = try entry.sample(unit: { $0.displayUnit }, now: now)
    return try #require(sample as? HKQuantitySample).quantity.doubleValue(for: HKUnit(from: standard))
  }

  @Test func `a number is read in any compatible unit, with or without a space`() throws {
    for (value, unit) in [("73.2", nil), ("73.2kg", nil), ("73.2 kg", nil), ("73.2", "kg"), ("73200", "g")] {
      #expect(try quantity(.bodyMass, value, unit, in: "kg") == 73.2, "\(value) \(unit ?? "")")
    }
    #expect(try quantity(.oxygenSaturation, "97", in: "%") == 0.97)
    #expect(try quantity(.oxygenSaturation, "97%", in: "%") == 0.97)
    #expect(try quantity(.heartRate, "61", "bpm", in: "count/min") == 61)
    #expect(try quantity(.bodyTemperature, "99.5", "°F", in: "degC") == 37.5)
    #expect(try quantity(.waterTemperature, "-1.5", in: "degC") == -1.5)
    #expect(try abs(quantity(.bloodGlucose, "5.5", "mmol/L", in: "mg/dL") - 99.0857) < 0.001)
  }

  @Test(
    arguments: [
      (HKQuantityTypeIdentifier.bodyMass, "73,2", nil), (.bodyMass, "", nil), (.bodyMass, "nan", nil),
      (.bodyMass, "inf", nil), (.bodyMass, "0x10", nil), (.bodyMass, "1e999", nil), (.bodyMass, "-73", nil),
      (.bodyMass, "0", nil), (.bodyMass, "7320", "kg"), (.bodyMass, "73", "count/min"),
      (.bodyMass, "73", "x"),
      (.bodyMass, "73kg", "lb"), (.bodyMass, "73/2", nil), (.oxygenSaturation, "101", nil),
      (.stepCount, "-1", nil), (.bodyTemperature, "98.6", nil), (.height, "171", nil),
      (.bodyMass, "7 3", nil),
    ] as [(HKQuantityTypeIdentifier, String, String?)])
  func `invalid numbers, units and values are rejected`(
    type: HKQuantityTypeIdentifier, value: String, unit: String?
  ) {
    #expect(throws: EntryError.self) { try quantity(type, value, unit, in: "kg") }
  }

  @Test func `times in the future, reversed or missing are rejected`() throws {
    func sample(_ type: HKSampleType, _ start: Double, _ end: Double?) throws -> HKSample {
      var entry = entry(type)
      (entry.start, entry.end) = (now + start, end.map { now + $0 })
      return try entry.sample(unit: { $0.displayUnit }, now: now)
    }
    let (mass, sleep) = (HKQuantityType(.bodyMass), HKCategoryType(.sleepAnalysis))
    #expect(throws: Never.self) { try sample(mass, 0, 0) }
    for (start, end) in [(3600.0, 3600.0), (0, 3600), (0, -1), (0, nil)] as [(Double, Double?)] {
      #expect(throws: EntryError.self, "\(start) \(end ?? .nan)") { try sample(mass, start, end) }
    }
    for type in [sleep, HKCategoryType(.mindfulSession), HKObjectType.workoutType()] {
      #expect(throws: EntryError.self) { try sample(type, 0, 0) }
    }
    #expect(try sample(HKCategoryType(.pregnancy), -60, nil).hasUndeterminedDuration)
  }

  @Test func `names are read case-insensitively, and an unknown one is listed with the valid ones`() throws {
    var entry = ManualEntry(type: HKCategoryType(.sleepAnalysis), start: now - 60, end: now)
    for name in ["asleepREM", "ASLEEPREM", "rem"] {
      entry.value = name
      let sample = try entry.sample(unit: { $0.displayUnit }, now: now) as? HKCategorySample
      #expect(sample?.value == HKCategoryValueSleepAnalysis.asleepREM.rawValue)
    }
    for name in ["asleepRM", "5", "", nil] {
      entry.value = name
      let error = #expect(throws: EntryError.self) { try entry.sample(unit: { $0.displayUnit }, now: now) }
      #expect(error?.unknown?.valid.contains("asleepREM") == true)
    }
    entry.type = HKCategoryType(.mindfulSession)
    entry.value = nil
    #expect(throws: Never.self) { try entry.sample(unit: { $0.displayUnit }, now: now) }
    (entry.value, entry.unit) = ("notApplicable", "kg")
    #expect(throws: EntryError.self) { try entry.sample(unit: { $0.displayUnit }, now: now) }
  }

  @Test(arguments: ["121", "79/121", "121/", "/79", "a/b", "121/79/60", "121/79 kg", "1210/79"])
  func `a blood pressure is two pressures, systolic first`(value: String) {
    var entry = ManualEntry(type: HKCorrelationType(.bloodPressure), start: now, end: now)
    entry.value = value
    #expect(throws: EntryError.self) { try entry.sample(unit: { $0.displayUnit }, now: now) }
  }

  // MARK: - Deleting

  private func heartRate() -> HKQuantitySample {
    HKQuantitySample(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 61), start: now, end: now)
  }

  @Test func `a blood pressure is deleted completely if one of its samples is named`() async throws {
    for part in 0..<3 {
      let pressure = try #require(
        try await store.add(entry(HKCorrelationType(.bloodPressure))) as? HKCorrelation)
      let kept = try await store.add(entry(HKQuantityType(.bloodPressureSystolic)))
      let parts = [pressure.uuid] + pressure.objects.map(\.uuid)
      let all = try await store.deletedTogether(with: [parts[part]])
      #expect(all == Set(parts))
      #expect(try await store.delete(all) == 3)
      #expect(try await store.sample(pressure.uuid) == nil)
      #expect(try await store.sample(kept.uuid) != nil)
    }
  }

  @Test func `a workout and its samples are deleted independently`() async throws {
    let rates = [heartRate(), heartRate()]
    let workout = HKWorkout(activityType: .running, start: now - 60, end: now)
    let watch = store.healthStore.acting(as: HKSource(name: "Watch", bundleIdentifier: "com.example.watch"))
    try await watch.save(workout)
    try await watch.addSamples(rates, to: workout)
    #expect(try await store.deletedTogether(with: [rates[0].uuid]) == [rates[0].uuid])
    #expect(try await store.deletedTogether(with: [workout.uuid]) == [workout.uuid])
    #expect(try await store.delete([workout.uuid]) == 1)
    #expect(try await store.sample(rates[0].uuid) != nil)
  }

  @Test func `a deleted sample of another source is in the change log`() async throws {
    let watch = store.healthStore.acting(as: HKSource(name: "Watch", bundleIdentifier: "com.example.watch"))
    let (deleted, kept) = (heartRate(), heartRate())
    try await watch.save([deleted, kept])
    let query = { (anchor: HKQueryAnchor?) in
      try await HKAnchoredObjectQueryDescriptor(
        predicates: [.quantitySample(type: HKQuantityType(.heartRate))], anchor: anchor
      ).result(for: self.store.healthStore)
    }
    let anchor = try await query(nil).newAnchor
    #expect(try await store.delete([deleted.uuid]) == 1)
    #expect(try await query(anchor).deletedObjects.map(\.uuid) == [deleted.uuid])
    #expect(try await store.delete([deleted.uuid]) == 0)
    #expect(try await store.sample(kept.uuid) != nil)
  }
}
