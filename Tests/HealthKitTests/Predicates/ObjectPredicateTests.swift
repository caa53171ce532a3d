import HealthStorage
import Testing

@testable import HealthKit

@Suite struct ObjectPredicateTests {
  private let heartRates = HKSamplePredicate<HKQuantitySample>.quantitySample(
    type: HKQuantityType(.heartRate))

  // MARK: - Revisions

  private func revision(
    _ version: String?, _ product: String? = nil,
    _ system: OperatingSystemVersion = OperatingSystemVersion(
      majorVersion: 1, minorVersion: 2, patchVersion: 3), of bundle: String = "p", name: String = "n"
  ) -> HKSourceRevision {
    HKSourceRevision(
      source: HKSource(name: name, bundleIdentifier: bundle), version: version, productType: product,
      operatingSystemVersion: system)
  }

  private func values(_ revisions: Set<HKSourceRevision>) async throws -> [Double] {
    let store = try HKHealthStore.inMemory()
    let stored = [
      revision(nil), revision("1"), revision("1", "X"), revision("2"), revision("1", of: "q"),
      revision("1", nil, OperatingSystemVersion(majorVersion: 9, minorVersion: 0, patchVersion: 0)),
    ]
    for (number, revision) in stored.enumerated() {
      try await store.acting(as: revision).save(heartRate(Double(number), at: Double(number)))
    }
    return try await found(HKQuery.predicateForObjects(from: revisions), heartRates, in: store).values
  }

  @Test func `a revision is one version of a source on one system, for any source name`()
    async throws
  {
    #expect(try await values([revision("1", name: "another")]) == [1])
    #expect(try await values([revision(nil)]) == [0])
    #expect(try await values([revision("1", "X"), revision("1", of: "q")]) == [2, 4])
    #expect(try await values([revision("3")]) == [])
    #expect(try await values([]) == [])
  }

  @Test func `predicates for any version, product or system`() async throws {
    #expect(try await values([revision(HKSourceRevisionAnyVersion)]) == [0, 1, 3])
    #expect(try await values([revision("1", HKSourceRevisionAnyProductType)]) == [1, 2])
    #expect(try await values([revision("1", nil, HKSourceRevisionAnyOperatingSystem)]) == [1, 5])
    #expect(
      try await values([
        revision(
          HKSourceRevisionAnyVersion, HKSourceRevisionAnyProductType, HKSourceRevisionAnyOperatingSystem)
      ]) == [0, 1, 2, 3, 5])
  }

  // MARK: - Devices

  @Test(arguments: [
    (HKDevicePropertyKeyName, "name"), (HKDevicePropertyKeyManufacturer, "manufacturer"),
    (HKDevicePropertyKeyModel, "model"), (HKDevicePropertyKeyHardwareVersion, "hardware"),
    (HKDevicePropertyKeyFirmwareVersion, "firmware"), (HKDevicePropertyKeySoftwareVersion, "software"),
    (HKDevicePropertyKeyLocalIdentifier, "local"), (HKDevicePropertyKeyUDIDeviceIdentifier, "udi"),
  ])
  func `a device property has one of several values, or none`(key: String, value: String) async throws {
    let full = HKDevice(
      name: "name", manufacturer: "manufacturer", model: "model", hardwareVersion: "hardware",
      firmwareVersion: "firmware", softwareVersion: "software", localIdentifier: "local",
      udiDeviceIdentifier: "udi")
    let bare = HKDevice(
      name: nil, manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: nil,
      softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
    let store = try HKHealthStore.inMemory()
    try await store.save([
      heartRate(1, at: 0, device: full), heartRate(2, at: 1, device: bare), heartRate(3, at: 2),
    ])
    func values(_ allowed: Set<String>) async throws -> [Double] {
      let predicate = HKQuery.predicateForObjects(withDeviceProperty: key, allowedValues: allowed)
      return try await found(predicate, heartRates, in: store).values
    }
    #expect(try await values([value, "x"]) == [1])
    #expect(try await values(["x"]) == [])
    #expect(try await values([]) == [2])
  }

  // MARK: - Membership

  @Test func `predicates for samples without a correlation`() async throws {
    let store = try HKHealthStore.inMemory()
    func systolic(_ seconds: Double) -> HKQuantitySample {
      HKQuantitySample(
        type: HKQuantityType(.bloodPressureSystolic),
        quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: 120), start: moment(seconds),
        end: moment(seconds))
    }
    let (held, alone) = (systolic(1), systolic(2))
    let correlation = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: moment(), end: moment(3), objects: [held])
    try await store.save([correlation, alone])
    func all(_ predicate: NSPredicate) async throws -> [HKSample] {
      try await HKSampleQueryDescriptor(
        predicates: [.quantitySample(type: HKQuantityType(.bloodPressureSystolic), predicate: predicate)],
        sortDescriptors: []
      ).result(for: store)
    }
    let predicate = HKQuery.predicateForObjectsWithNoCorrelation()
    #expect(try await all(predicate) == [alone])
    #expect(try await all(NSCompoundPredicate(notPredicateWithSubpredicate: predicate)) == [held])
    // Without a store it is unknown whether the sample belongs to a correlation, so the predicate matches.
    #expect(predicate.evaluate(with: held))
    try await store.delete(correlation)
    #expect(try await Set(all(predicate)) == [held, alone])
  }

  @Test func `devices are equal if all properties are, including missing ones`() async throws {
    func device(without missing: Int? = nil, other: Int? = nil) -> HKDevice {
      let texts = (0..<8).map { $0 == missing ? nil : $0 == other ? "other" : "text" }
      return HKDevice(
        name: texts[0], manufacturer: texts[1], model: texts[2], hardwareVersion: texts[3],
        firmwareVersion: texts[4], softwareVersion: texts[5], localIdentifier: texts[6],
        udiDeviceIdentifier: texts[7])
    }
    let store = try HKHealthStore.inMemory()
    var devices = [device()]
    for index in 0..<8 { devices += [device(without: index), device(other: index)] }
    #expect(Set(devices).count == 17)
    try await store.save(
      devices.enumerated().map { heartRate(Double($0), at: Double($0), device: $1) } + [heartRate(99, at: 99)]
    )
    for (number, device) in devices.enumerated() {
      let predicate = HKQuery.predicateForObjects(from: [device])
      #expect(try await found(predicate, heartRates, in: store).values == [Double(number)])
    }
  }

  private func filter(_ predicate: NSPredicate) throws -> SampleFilter {
    try PredicateTranslation(predicate).filter
  }

  @Test func `samples of a workout or recording are found by its UUID in the store`() throws {
    let workout = HKWorkout(activityType: .running, start: moment(), end: moment(60))
    #expect(try filter(HKQuery.predicateForObjects(from: workout)) == .members(of: workout.uuid))
    let recording = try HKElectrocardiogram.make(
      start: moment(), end: moment(30), voltageMeasurements: [], samplingFrequency: nil,
      classification: .sinusRhythm, averageHeartRate: nil, symptomsStatus: .none)
    #expect(
      try filter(HKQuery.predicateForObjectsAssociated(electrocardiogram: recording))
        == .members(of: recording.uuid))
  }

  @Test func `the effort of an activity is found by its relationships`() throws {
    let workout = HKWorkout(activityType: .running, start: moment(), end: moment(60))
    let activity = HKWorkoutActivity(
      workoutConfiguration: HKWorkoutConfiguration(), start: moment(10), end: moment(20), metadata: nil)
    let types: SampleFilter = .any([
      .type("HKQuantityTypeIdentifierWorkoutEffortScore"),
      .type("HKQuantityTypeIdentifierEstimatedWorkoutEffortScore"),
    ])
    #expect(
      try filter(HKQuery.predicateForWorkoutEffortSamplesRelated(workout: workout, activity: nil))
        == .all([.members(of: workout.uuid), types]))
    #expect(
      try filter(HKQuery.predicateForWorkoutEffortSamplesRelated(workout: workout, activity: activity))
        == .all([.related(to: workout.uuid, part: activity.uuid), types]))
  }
}
