import HealthSystem
import Synchronization
import Testing

@testable import HealthKit

/// Records the request for permissions and answers it, like the permission sheet.
private final class Sheet: Sendable {
  private let shown = Mutex<[HKHealthStore.Configuration.Request]>([])
  let answer: HKHealthStore.Configuration.Answer

  init(_ answer: HKHealthStore.Configuration.Answer) {
    self.answer = answer
  }

  var requests: [HKHealthStore.Configuration.Request] { shown.withLock { $0 } }

  func store(
    _ application: HKHealthStore.Application? = nil,
    at location: HKHealthStore.Configuration.Location = .memory
  ) throws -> HKHealthStore {
    try HKHealthStore(
      configuration: .init(
        location: location, application: application ?? .example(),
        decision: .asking { [self] request in
          shown.withLock { $0.append(request) }
          return answer
        }))
  }
}

@Suite struct RequestTests {
  @Test func `a request can succeed without granting anything`() async throws {
    let store = try Sheet(.granted(share: [], read: [])).store()
    try await store.requestAuthorization(toShare: [heartRateType], read: [heartRateType])
    #expect(store.authorizationStatus(for: heartRateType) == .sharingDenied)
    #expect(try await samples(heartRateType, in: store).isEmpty)
  }

  @Test func `the imported name of the method makes the same request`() async throws {
    let sheet = Sheet(.grantedAll)
    let store = try sheet.store()
    try await store.__requestAuthorization(toShare: [heartRateType], read: nil)
    #expect(try await store.__requestAuthorization(toShare: nil, read: [heartRateType]))
    #expect(sheet.requests.map(\.share) == [[heartRateType], []])
    #expect(sheet.requests.map(\.read) == [[], [heartRateType]])
    await #expect(throws: HKError.self) { try await store.__requestAuthorization(toShare: nil, read: nil) }
  }

  @Test func `sharing and reading are granted separately`() async throws {
    let store = try Sheet(.granted(share: [heartRateType], read: [stepType])).store()
    try await store.requestAuthorization(
      toShare: [heartRateType, stepType], read: [heartRateType, stepType])
    #expect(store.authorizationStatus(for: heartRateType) == .sharingAuthorized)
    #expect(store.authorizationStatus(for: stepType) == .sharingDenied)
    let strap = store.acting(as: HKSource(name: "S", bundleIdentifier: "s"))
    try await strap.save(heartRate(60, at: 0))
    #expect(try await samples(heartRateType, in: store).isEmpty)
  }

  @Test func `an answer grants only what was requested`() async throws {
    let store = try Sheet(.granted(share: [heartRateType, stepType], read: [])).store()
    try await store.requestAuthorization(toShare: [heartRateType], read: [])
    #expect(store.authorizationStatus(for: stepType) == .notDetermined)
  }

  @Test func `only undecided types are asked about, and without any the user is not asked`() async throws {
    let sheet = Sheet(.grantedAll)
    let store = try sheet.store()
    try await store.requestAuthorization(toShare: [heartRateType], read: [])
    try await store.requestAuthorization(toShare: [heartRateType], read: [])
    #expect(sheet.requests.count == 1)
    try await store.requestAuthorization(toShare: [heartRateType, stepType], read: [heartRateType])
    #expect(sheet.requests.count == 2)
    #expect(sheet.requests.last?.share == [stepType])
    #expect(sheet.requests.last?.read == [heartRateType])
    #expect(sheet.requests.last?.application.name == "Recorder")
  }

  @Test func `the status of a request says whether the user would be asked`() async throws {
    let store = try Sheet(.granted(share: [], read: [])).store()
    func status() async throws -> HKAuthorizationRequestStatus {
      try await store.statusForAuthorizationRequest(toShare: [heartRateType], read: [stepType])
    }
    #expect(try await status() == .shouldRequest)
    try await store.requestAuthorization(toShare: [heartRateType], read: [])
    #expect(try await status() == .shouldRequest)
    try await store.requestAuthorization(toShare: [], read: [stepType])
    #expect(try await status() == .unnecessary)
  }

  @Test func `the status of a failing request is unknown`() async throws {
    let store = try Sheet(.grantedAll).store()
    let (status, code) = await withCheckedContinuation { continuation in
      store.getRequestStatusForAuthorization(toShare: [], read: []) { status, error in
        continuation.resume(returning: (status, (error as? HKError)?.code))
      }
    }
    #expect(status == .unknown && code == .errorInvalidArgument)
  }

  @Test func `a cancelled request fails, and its types stay undecided`() async throws {
    let store = try Sheet(.cancelled).store()
    await expectFailure(.errorUserCanceled) {
      try await store.requestAuthorization(toShare: [heartRateType], read: [])
    }
    #expect(store.authorizationStatus(for: heartRateType) == .notDetermined)
  }

  @Test func `an empty request is an invalid argument`() async throws {
    for store in [try Sheet(.grantedAll).store(), try HKHealthStore.inMemory()] {
      await expectFailure(.errorInvalidArgument) {
        try await store.requestAuthorization(toShare: [], read: [])
      }
      await expectFailure(.errorInvalidArgument) {
        try await store.statusForAuthorizationRequest(toShare: [], read: [])
      }
    }
  }

  @Test func `denying a required type is an error in each request`() async throws {
    let store = try Sheet(.granted(share: [heartRateType], read: [stepType]))
      .store(.example(requiredReadTypes: [heartRateType]))
    for _ in 0..<2 {
      await expectFailure(.errorRequiredAuthorizationDenied) {
        try await store.requestAuthorization(toShare: [heartRateType], read: [heartRateType, stepType])
      }
    }
    try await store.requestAuthorization(toShare: [], read: [stepType])
  }

  @Test func `the handler gets the result of the asynchronous version`() async throws {
    let store = try Sheet(.cancelled).store()
    let (success, error) = await withCheckedContinuation { continuation in
      store.requestAuthorization(toShare: [heartRateType], read: nil) {
        continuation.resume(returning: ($0, $1))
      }
    }
    #expect(!success)
    #expect(error.map { HKError.errorUserCanceled ~= $0 } == true)
  }

  @Test func `a request without a usage description traps and names the key`() async {
    let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let application = try HKHealthStore.Application(
        bundleIdentifier: "a", name: "A", healthUpdateUsageDescription: "u")
      let store = try HKHealthStore(
        configuration: .init(
          location: .memory, application: application, decision: .asking { _ in .grantedAll }))
      try await store.requestAuthorization(toShare: [], read: [HKQuantityType(.heartRate)])
    }
    let share = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let application = try HKHealthStore.Application(
        bundleIdentifier: "a", name: "A", healthShareUsageDescription: "s")
      let store = try HKHealthStore(
        configuration: .init(
          location: .memory, application: application, decision: .asking { _ in .grantedAll }))
      try await store.requestAuthorization(toShare: [HKQuantityType(.heartRate)], read: [])
    }
    let reading = String(decoding: read?.standardErrorContent ?? [], as: UTF8.self)
    #expect(reading.contains("NSHealthShareUsageDescription must be set in the app's Info.plist"))
    let sharing = String(decoding: share?.standardErrorContent ?? [], as: UTF8.self)
    #expect(sharing.contains("NSHealthUpdateUsageDescription must be set in the app's Info.plist"))
  }

  @Test func `a correlation type cannot be requested`() {
    let request = AuthorizationRequest(share: [HKCorrelationType(.food)], read: [])
    #expect(throws: HKValidationError.self) { try request.check() }
    let reading = AuthorizationRequest(share: [], read: [HKCorrelationType(.bloodPressure)])
    #expect(throws: HKValidationError.self) { try reading.check() }
  }

  @Test func `computed types and types with per-object permission can be read but not shared`() {
    let computed = HKQuantityType(.walkingHeartRateAverage)
    let prescriptions = HKObjectType.visionPrescriptionType()
    let record = HKClinicalType(.allergyRecord)
    for type in [computed, record] as [HKSampleType] {
      #expect(throws: HKValidationError.self) {
        try AuthorizationRequest(share: [type, heartRateType], read: []).check()
      }
      #expect(throws: Never.self) { try AuthorizationRequest(share: [], read: [type]).check() }
    }
    #expect(throws: HKValidationError.self) {
      try AuthorizationRequest(share: [], read: [prescriptions]).check()
    }
    #expect(throws: Never.self) {
      try AuthorizationRequest(share: [heartRateType], read: [HKCharacteristicType(.bloodType)]).check()
    }
  }

  @Test func `in the user's store only the user decides, and in memory the user cannot`() {
    for (location, decision) in [
      (.user, .everything), (.user, .asking { _ in .grantedAll }), (.memory, .user),
    ] as [(HKHealthStore.Configuration.Location, HKHealthStore.Configuration.Decision)] {
      expectFailure(.errorInvalidArgument) {
        try HKHealthStore(
          configuration: .init(location: location, application: .example(), decision: decision))
      }
    }
  }

  /// Calls the body with a directory for the user's store, which is created if requested.
  private func withUsersStore(made: Bool, _ body: (_ directory: String, _ path: String) throws -> Void) throws
  {
    let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/own/health.sqlite"
    try FileManager.default.createDirectory(atPath: directory + "/own", withIntermediateDirectories: true)
    if made { _ = try HKHealthStore(storeAt: path) }
    try body(directory, path)
  }

  @Test(arguments: [true, false])
  func `the user's store is recognized by any path, even before it exists`(made: Bool) throws {
    let decisions: [HKHealthStore.Configuration.Decision] = [.everything, .asking { _ in .grantedAll }]
    for decision in decisions {
      try withUsersStore(made: made) { directory, path in
        try FileManager.default.createSymbolicLink(atPath: directory + "/folder", withDestinationPath: "own")
        try FileManager.default.createSymbolicLink(atPath: directory + "/link", withDestinationPath: path)
        var names = [
          path, directory + "/own/../own//health.sqlite", directory + "/folder/health.sqlite",
          directory + "/new/../own/health.sqlite",
        ]
        if made {
          try FileManager.default.linkItem(atPath: path, toPath: directory + "/hard")
          names += [directory + "/hard", directory + "/link"]
        }
        for name in names {
          if !made { try? FileManager.default.removeItem(atPath: path) }
          expectFailure(.errorInvalidArgument) {
            try HKHealthStore(
              configuration: .init(location: .file(name), application: .example(), decision: decision),
              usersStores: [path])
          }
        }
        _ = try HKHealthStore(
          configuration: .init(location: .file(path), application: .example()), usersStores: [path])
        _ = try HKHealthStore(
          configuration: .init(
            location: .file(directory + "/other"), application: .example(), decision: decision),
          usersStores: [path])
      }
    }
  }

  @Test func `per-object types are asked about each time, and selected objects are visible`()
    async throws
  {
    let chosen = try prescription(at: 0)
    let other = try prescription(at: 1)
    let sheet = Sheet(.granted(share: [], read: [], objects: [chosen]))
    let store = try sheet.store()
    let type = HKObjectType.visionPrescriptionType()
    #expect(try await samples(type, in: store).isEmpty)
    try await store.requestPerObjectReadAuthorization(for: type, predicate: nil)
    #expect(sheet.requests.isEmpty)
    try await store.acting(as: HKSource(name: "O", bundleIdentifier: "o")).save([chosen, other])
    for count in 1...2 {
      try await store.requestPerObjectReadAuthorization(for: type, predicate: nil)
      #expect(sheet.requests.count == count)
    }
    #expect(sheet.requests.last?.objects.map(\.uuid) == [chosen.uuid, other.uuid])
    #expect(try await samples(type, in: store).map(\.uuid) == [chosen.uuid])
    try await store.requestPerObjectReadAuthorization(
      for: type, predicate: HKQuery.predicateForObject(with: other.uuid))
    #expect(sheet.requests.last?.objects.map(\.uuid) == [other.uuid])
    #expect(try await samples(type, in: store).map(\.uuid) == [chosen.uuid])
  }

  @Test(arguments: ["deny", "reset the type", "reset all"])
  func `selected objects are listed and can be revoked`(_ way: String) async throws {
    let objects = [try prescription(at: 0), try prescription(at: 1)]
    let store = try Sheet(.grantedAll).store()
    let system = store.acting(as: HKSource(name: "O", bundleIdentifier: "o"))
    let type = HKObjectType.visionPrescriptionType()
    let name = "org.example.recorder"
    try await system.save(objects)
    try await store.requestPerObjectReadAuthorization(for: type, predicate: nil)
    let listed = try await system.user.permissions()
    #expect(listed.map(\.type) == [type.identifier])
    #expect(listed.map(\.objects) == [2])
    #expect(listed.map(\.read) == [nil])
    // The user's decision on another type does not affect the samples that the user has selected one by one.
    try await system.user.setPermission(share: nil, read: false, on: [heartRateType], for: name)
    #expect(try await samples(type, in: store).count == 2)
    switch way {
    case "deny": try await system.user.setPermission(share: nil, read: false, on: [type], for: name)
    case "reset the type": #expect(try await system.user.resetPermissions(on: [type], for: name) == 2)
    default: #expect(try await system.user.resetPermissions(on: nil, for: name) == 3)
    }
    #expect(try await samples(type, in: store).isEmpty)
    #expect(try await system.user.permissions().map(\.objects).allSatisfy { $0 == 0 })
  }

  private func prescription(at seconds: Double) throws -> HKVisionPrescription {
    let eye = HKGlassesLensSpecification(
      sphere: HKQuantity(unit: .diopter(), doubleValue: -1), cylinder: nil, axis: nil, addPower: nil,
      vertexDistance: nil, prism: nil, farPupillaryDistance: nil, nearPupillaryDistance: nil)
    return HKGlassesPrescription(
      rightEyeSpecification: eye, leftEyeSpecification: nil, dateIssued: moment(seconds), expirationDate: nil,
      device: nil, metadata: nil)
  }
}
