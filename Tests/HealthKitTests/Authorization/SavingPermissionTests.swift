import HealthStorage
import HealthSystem
import Testing

@testable import HealthKit

@Suite struct SavingPermissionTests {
  @Test(arguments: StoreDepth.allCases)
  func `saving without a request fails: not determined`(_ depth: StoreDepth) async throws {
    try await depth.withApplication { application in
      await #expect(throws: HKError(.errorAuthorizationNotDetermined, reason: "Authorization not determined"))
      {
        try await application.store.save(heartRate(60, at: 0))
      }
      let stored = try await samples(heartRateType, in: application.system)
      #expect(stored.isEmpty)
      #expect(application.store.authorizationStatus(for: heartRateType) == .notDetermined)
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `saving without permission fails: not authorized`(_ depth: StoreDepth) async throws {
    try await depth.withApplication { application in
      try await application.decide(share: false, read: true, heartRateType)
      await #expect(throws: HKError(.errorAuthorizationDenied, reason: "Not authorized")) {
        try await application.store.save(heartRate(60, at: 0))
      }
      #expect(try await samples(heartRateType, in: application.system).isEmpty)
      #expect(application.store.authorizationStatus(for: heartRateType) == .sharingDenied)
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `samples are saved with the name and version in Info.plist`(_ depth: StoreDepth) async throws {
    try await depth.withApplication { application in
      try await application.decide(share: true, heartRateType)
      try await application.store.save(heartRate(60, at: 0))
      let found = try #require(try await samples(heartRateType, in: application.system).first)
      #expect(found.sourceRevision.source.bundleIdentifier == application.identifier)
      #expect(found.sourceRevision.source.name == "Recorder")
      #expect(found.sourceRevision.version == "1.2")
      #expect(application.store.authorizationStatus(for: heartRateType) == .sharingAuthorized)
    }
  }

  @Test func `one type without permission prevents the save of the entire array`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(share: true, heartRateType)
      let steps = HKQuantitySample(
        type: stepType, quantity: HKQuantity(unit: .count(), doubleValue: 3), start: moment(), end: moment())
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await application.store.save([heartRate(60, at: 0), steps])
      }
      try await application.decide(share: false, stepType)
      await expectFailure(.errorAuthorizationDenied) {
        try await application.store.save([heartRate(60, at: 0), steps])
      }
      #expect(try await samples(heartRateType, in: application.system).isEmpty)
    }
  }

  @Test func `a correlation requires permission for all its members`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let (systolic, diastolic) = (
        HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic)
      )
      try await application.decide(share: true, systolic)
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await application.store.save(bloodPressure(120, 80, at: 0))
      }
      try await application.decide(share: true, diastolic)
      try await application.store.save(bloodPressure(120, 80, at: 0))
      #expect(try await samples(HKCorrelationType(.bloodPressure), in: application.system).count == 1)
      #expect(
        application.store.authorizationStatus(for: HKCorrelationType(.bloodPressure)) == .notDetermined)
    }
  }

  @Test func `a workout requires permission for its own type`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let workout = HKWorkout(activityType: .running, start: moment(), end: moment(60))
      try await application.decide(share: true, heartRateType)
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await application.store.save(workout)
      }
      try await application.decide(share: true, HKObjectType.workoutType())
      try await application.store.save(workout)
    }
  }

  @Test func `a permission applies to one application`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.system.user.setPermission(
        share: true, read: true, on: [heartRateType], for: "org.example.other")
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await application.store.save(heartRate(60, at: 0))
      }
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a revocation takes effect immediately, and saved samples are kept`(_ depth: StoreDepth) async throws {
    try await depth.withApplication { application in
      try await application.decide(share: true, heartRateType)
      try await application.store.save(heartRate(60, at: 0))
      try await application.decide(share: false, heartRateType)
      await expectFailure(.errorAuthorizationDenied) {
        try await application.store.save(heartRate(61, at: 1))
      }
      #expect(application.store.authorizationStatus(for: heartRateType) == .sharingDenied)
      #expect(try await samples(heartRateType, in: application.system).count == 1)
      try await application.decide(share: true, heartRateType)
      try await application.store.save(heartRate(61, at: 1))
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `an application can delete its own objects while it may share the type`(
    _ depth: StoreDepth
  ) async throws {
    try await depth.withApplication { application in
      let (own, other) = (heartRate(60, at: 0), heartRate(70, at: 1))
      try await application.monitor.save(other)
      try await application.decide(share: true, heartRateType)
      try await application.store.save(own)
      await expectFailure(.errorAuthorizationDenied) {
        try await application.store.delete([own, other])
      }
      try await application.decide(share: false, heartRateType)
      await expectFailure(.errorAuthorizationDenied) { try await application.store.delete(own) }
      await expectFailure(.errorAuthorizationDenied) {
        try await application.store.deleteObjects(of: heartRateType, predicate: NSPredicate(value: true))
      }
      _ = try await application.system.user.resetPermissions(on: [heartRateType], for: application.identifier)
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await application.store.delete(own)
      }
      try await application.decide(share: true, heartRateType)
      #expect(
        try await application.store.deleteObjects(of: heartRateType, predicate: NSPredicate(value: true)) == 1
      )
      #expect(try await samples(heartRateType, in: application.system).map(\.uuid) == [other.uuid])
    }
  }

  @Test func `correlations can be deleted by type if a member type may be saved`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let types = [HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic)]
      let all = NSPredicate(value: true)
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await application.store.deleteObjects(of: HKCorrelationType(.bloodPressure), predicate: all)
      }
      try await application.decide(share: true, types[0], types[1])
      try await application.store.save(bloodPressure(120, 80, at: 0))
      #expect(
        try await application.store.deleteObjects(of: HKCorrelationType(.bloodPressure), predicate: all) == 1)
    }
  }

  @Test func `a correlation can be deleted if a member type may be saved, with all methods`()
    async throws
  {
    try await StoreDepth.memory.withApplication { application in
      let parts = [HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic)]
      try await application.decide(share: true, parts[0], parts[1])
      let (first, second) = (bloodPressure(120, 80, at: 0), bloodPressure(121, 81, at: 1))
      try await application.store.save([first, second])
      try await application.decide(share: false, parts[1])
      try await application.store.delete(first)
      #expect(
        try await application.store.deleteObjects(
          of: HKCorrelationType(.bloodPressure), predicate: NSPredicate(value: true)) == 1)
      #expect(try await samples(HKCorrelationType(.bloodPressure), in: application.system).isEmpty)
    }
  }

  @Test func `a deletion checks the stored type, not the one that the application names`()
    async throws
  {
    try await StoreDepth.memory.withApplication { application in
      let stored = heartRate(60, at: 0)
      try await application.decide(share: true, heartRateType, stepType)
      try await application.store.save(stored)
      try await application.decide(share: false, heartRateType)
      let database = try application.store.admit(.save([stepType]))
      await #expect(throws: StorageError.denied) {
        try await database.delete([stored.uuid], savedBy: application.identifier)
      }
      #expect(try await samples(heartRateType, in: application.system).count == 1)
    }
  }

  @Test func `without the entitlement every call fails with the reason`() async throws {
    let store = try HKHealthStore(
      configuration: .init(
        location: .memory, application: .example(entitlements: .init()),
        decision: .asking { _ in .grantedAll }))
    let missing = HKError(
      .errorAuthorizationDenied, reason: "Missing com.apple.developer.healthkit entitlement.")
    await #expect(throws: missing) { try await store.save(heartRate(60, at: 0)) }
    await #expect(throws: missing) { try await samples(heartRateType, in: store) }
    await #expect(throws: missing) {
      try await store.requestAuthorization(toShare: [heartRateType], read: [])
    }
    await #expect(throws: missing) {
      try await store.statusForAuthorizationRequest(toShare: [heartRateType], read: [])
    }
  }

  @Test func `an application can decide on permissions only by requests`() async throws {
    try await StoreDepth.memory.withApplication { application in
      await expectFailure(.errorAuthorizationDenied) {
        try await application.store.user.setPermission(
          share: true, read: true, on: [heartRateType], for: application.identifier)
      }
      await expectFailure(.errorAuthorizationDenied) { try await application.store.user.sampleCounts() }
    }
  }
}
