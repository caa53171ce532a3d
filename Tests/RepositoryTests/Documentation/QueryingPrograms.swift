import HealthKit
import Testing

/// Runs the code blocks of the documentation page on querying.
@Suite struct QueryingPrograms {
  private let store: HKHealthStore

  /// Saves a heart rate with the current time, measured at the chest.
  init() async throws {
    store = try .inMemory()
    try await save()
  }

  private func save() async throws {
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72), start: .now, end: .now,
        metadata: [HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue]))
  }

  @Test func `samples are queried in both styles`() async throws {
    let lastHour = HKQuery.predicateForSamples(withStart: .now - 3600, end: nil)
    let query = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate), predicate: lastHour)],
      sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: 100)
    let samples = try await query.result(for: store)
    #expect(samples.count == 1)
    let byStart = NSSortDescriptor(keyPath: \HKSample.startDate, ascending: false)
    let older = HKSampleQuery(
      sampleType: HKQuantityType(.heartRate), predicate: nil, limit: HKObjectQueryNoLimit,
      sortDescriptors: [byStart]
    ) { _, samples, error in
      print(samples?.count ?? 0, error?.localizedDescription ?? "no error")
    }
    store.execute(older)
  }

  @Test func `predicates are combined`() async throws {
    let chest = HKQuery.predicateForObjects(
      withMetadataKey: HKMetadataKeyHeartRateSensorLocation,
      allowedValues: [HKHeartRateSensorLocation.chest.rawValue])
    let today = HKQuery.predicateForSamples(
      withStart: Calendar.current.startOfDay(for: .now), end: nil, options: .strictStartDate)
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [chest, today])
    let fromTheChest = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate), predicate: both)],
      sortDescriptors: [SortDescriptor(\.startDate)])
    #expect(try await fromTheChest.result(for: store).count == 1)
  }

  @Test func `an anchor marks the position of the last query`() async throws {
    var sinceLastTime = HKAnchoredObjectQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))], anchor: nil)
    let changes = try await sinceLastTime.result(for: store)
    print(changes.addedSamples.count, changes.deletedObjects.map(\.uuid))
    sinceLastTime.anchor = changes.newAnchor
    #expect(changes.addedSamples.count == 1)
    #expect(try await sinceLastTime.result(for: store).addedSamples.isEmpty)
    try await save()
    #expect(try await sinceLastTime.result(for: store).addedSamples.count == 1)
  }

  @Test func `a sequence of changes ends with its task`() async throws {
    func follow(_ store: HKHealthStore) async throws {
      let everything = HKAnchoredObjectQueryDescriptor(
        predicates: [.quantitySample(type: HKQuantityType(.heartRate))], anchor: nil)
      for try await changes in everything.results(for: store) {
        print(changes.addedSamples.count, changes.deletedObjects.count)
      }
    }
    let following = Task { [store] in try await follow(store) }
    following.cancel()
    _ = await following.result
  }

  @Test func `an observer is started and stopped`() {
    let observer = HKObserverQuery(sampleType: HKQuantityType(.heartRate), predicate: nil) {
      _, completion, error in
      if error == nil { print("look again") }
      completion()
    }
    store.execute(observer)
    store.stop(observer)
  }
}
