import HealthKit
import Testing

@Suite struct SavingTests {
  @Test(arguments: StoreDepth.allCases)
  func `a sample is read unchanged`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let device = HKDevice(
        name: "Strap", manufacturer: "Maker", model: nil, hardwareVersion: "1", firmwareVersion: nil,
        softwareVersion: "", localIdentifier: "AA", udiDeviceIdentifier: nil)
      let sample = heartRate(
        71.3, at: 0.123456, lasting: 2, device: device,
        metadata: [HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue])
      let source = HKSource(name: "Strap 1", bundleIdentifier: "org.example.strap")
      try await store.acting(as: HKSourceRevision(source: source, version: "3")).save(sample)

      let found = try #require(try await everyHeartRate().result(for: store).first)
      #expect(found == sample)
      #expect(found is HKDiscreteQuantitySample)
      #expect(found.quantity == sample.quantity)
      #expect((found.startDate, found.endDate) == (sample.startDate, sample.endDate))
      #expect(found.device == device)
      #expect(found.sourceRevision.source.name == "Strap 1")
      #expect(found.sourceRevision == HKSourceRevision(source: source, version: "3"))
      #expect(found.metadata?[HKMetadataKeyHeartRateSensorLocation] as? Int == 1)
    }
  }

  @Test func `by default a sample has this program's source`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(heartRate(60, at: 0))
    let found = try await everyHeartRate().result(for: store)
    #expect(found.map(\.sourceRevision.source) == [HKSource.default()])
    #expect(!HKSource.default().bundleIdentifier.isEmpty)
  }

  @Test(arguments: StoreDepth.allCases)
  func `a duplicate rejects the entire batch and is reported`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let known = heartRate(60, at: 0)
      try await store.save(known)
      await #expect(throws: DuplicateObjectsError(uuids: [known.uuid])) {
        try await store.saveReporting([heartRate(61, at: 1), known, heartRate(62, at: 2)])
      }
      #expect(try await everyHeartRate().result(for: store) == [known])
    }
  }

  @Test func `a duplicate within a batch is reported, too`() async throws {
    let store = try HKHealthStore.inMemory()
    let twice = heartRate(60, at: 0)
    await #expect(throws: DuplicateObjectsError(uuids: [twice.uuid])) {
      try await store.saveReporting([twice, twice])
    }
    #expect(try await everyHeartRate().result(for: store).isEmpty)
  }

  @Test func savingADuplicateIsAnInvalidArgument() async throws {
    let store = try HKHealthStore.inMemory()
    let sample = heartRate(60, at: 0)
    try await store.save(sample)
    do {
      try await store.save([sample])
      Issue.record("saved twice")
    } catch HKError.errorInvalidArgument {
    }
  }

  @Test func `the batch after a rejected one is saved completely`() async throws {
    let store = try HKHealthStore.inMemory()
    let first = heartRate(60, at: 0)
    try await store.save(first)
    // The rejected batch was the first one with this device, source and metadata, whose rows were rolled back
    // too. They are inserted again.
    let strap = store.acting(as: HKSource(name: "S", bundleIdentifier: "s"))
    let device = HKDevice(
      name: "D", manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: nil,
      softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
    let second = heartRate(61, at: 1, device: device, metadata: ["k": "v"])
    await #expect(throws: DuplicateObjectsError.self) { try await strap.saveReporting([second, first]) }
    try await strap.save(second)
    let found = try await everyHeartRate().result(for: store)
    #expect(found.map(\.device) == [nil, device])
    #expect(found.last?.metadata?["k"] as? String == "v")
  }

  @Test func theLatestNameOfASourceWins() async throws {
    let store = try HKHealthStore.inMemory()
    for (second, name) in ["old", "new", "old", "newest"].enumerated() {
      let source = HKSource(name: name, bundleIdentifier: "s")
      try await store.acting(as: source).save(heartRate(60, at: Double(second)))
      let names = try await everyHeartRate().result(for: store).map(\.sourceRevision.source.name)
      #expect(Set(names) == [name])
    }
  }

  @Test func saveWithACompletionHandlerCallsIt() async throws {
    let store = try HKHealthStore.inMemory()
    let sample = heartRate(60, at: 0)
    let first = await withCheckedContinuation { done in
      store.save(sample) { saved, error in done.resume(returning: saved && error == nil) }
    }
    let second = await withCheckedContinuation { done in
      store.save([sample]) { saved, error in done.resume(returning: saved || error == nil) }
    }
    #expect(first)
    #expect(!second)
  }

  @Test func `cumulative and discrete samples are read with their classes`() async throws {
    let store = try HKHealthStore.inMemory()
    let energy = HKQuantity(unit: .jouleUnit(with: .kilo), doubleValue: 12)
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.activeEnergyBurned), quantity: energy, start: moment(), end: moment(60)))
    let query = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.activeEnergyBurned))], sortDescriptors: [])
    let found = try #require(try await query.result(for: store).first as? HKCumulativeQuantitySample)
    #expect(found.sumQuantity == energy)
  }

  @Test func `a saved object is unchanged, and only a fetched one has its source`() async throws {
    let store = try HKHealthStore.inMemory()
    let sample = heartRate(60, at: 0)
    try await store.save(sample)
    #expect(sample.sourceRevision.source.bundleIdentifier == "")
    #expect(sample.device == nil)
    let fetched = try #require(try await everyHeartRate().result(for: store).first)
    #expect(fetched.sourceRevision.source == .default())
    // The store does not add a device to a sample without one.
    #expect(fetched.device == nil)
  }

  @Test func `a member of a saved correlation cannot be saved again`() async throws {
    let store = try HKHealthStore.inMemory()
    let correlation = bloodPressure(120, 80, at: 0)
    try await store.save(correlation)
    for part in correlation.objects {
      await expectFailure(.errorInvalidArgument) { try await store.save(part) }
    }
    // A correlation of samples that are already stored cannot be saved either.
    let parts = bloodPressure(130, 90, at: 1).objects
    let systolic = try #require(parts.first { $0.sampleType == HKQuantityType(.bloodPressureSystolic) })
    try await store.save(systolic)
    let later = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: moment(1), end: moment(1), objects: parts)
    await expectFailure(.errorInvalidArgument) { try await store.save(later) }
    #expect(try await samples(HKQuantityType(.bloodPressureDiastolic), in: store).count == 1)
  }

  @Test func `health data is available, from the earliest permitted date on`() async throws {
    #expect(HKHealthStore.isHealthDataAvailable())
    let store = try HKHealthStore.inMemory()
    #expect(!store.supportsHealthRecords())
    let oldest = store.earliestPermittedSampleDate()
    let sample = HKQuantitySample(
      type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: beatsPerMinute, doubleValue: 60),
      start: oldest, end: oldest)
    try await store.save(sample)
    #expect(try await everyHeartRate().result(for: store).map(\.startDate) == [oldest])
  }
}
