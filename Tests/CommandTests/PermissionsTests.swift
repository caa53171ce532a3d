import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

/// Tests permissions with two processes: this process is the application, another one acts for the user.
@Suite struct PermissionsTests {
  private let folder: TemporaryFolder
  private let store: HKHealthStore
  private let heartRate = HKQuantityType(.heartRate)
  private let application = "org.example.recorder"

  init() throws {
    folder = try TemporaryFolder()
    store = try HKHealthStore(
      configuration: .init(
        location: .file(folder.path("s.sqlite")),
        application: HKHealthStore.Application(
          bundleIdentifier: "org.example.recorder", name: "Rec\u{1B}[2Jorder",
          healthShareUsageDescription: "To \u{202E}chart",
          healthUpdateUsageDescription: "To keep\nAll is well")))
  }

  private func permissions(_ arguments: String...) throws -> CommandResult {
    try Command.hrgate(["permissions"] + arguments + ["--store", folder.path("s.sqlite")])
  }

  private func answer(_ lines: String, _ arguments: String...) throws -> CommandResult {
    try Command.hrgate(
      "permissions", "ask", "--json", "--store", folder.path("s.sqlite"), typing: lines)
  }

  private func sample(_ value: Double = 60) -> HKQuantitySample {
    let unit = HKUnit.count().unitDivided(by: .minute())
    return HKQuantitySample(
      type: heartRate, quantity: HKQuantity(unit: unit, doubleValue: value), start: .now, end: .now)
  }

  /// Requests authorization and runs `body` while the request is pending.
  private func request(
    share: Set<HKSampleType>, read: Set<HKObjectType>, while body: () async throws -> Void
  ) async throws {
    let asking = Task { [store] in try await store.requestAuthorization(toShare: share, read: read) }
    let system = try SystemStore(store.acting(as: HKSource.default()))
    _ = try await system.nextPendingAuthorization(waits: true)
    do {
      try await body()
    } catch {
      asking.cancel()
      throw error
    }
    try await asking.value
  }

  @Test func `a grant or denial by another process takes effect at once`() async throws {
    await expectFailure(.errorAuthorizationNotDetermined) { try await store.save(sample()) }
    #expect(try permissions("grant", application, "--type", "heartRate").status == 0)
    try await store.save(sample())
    #expect(store.authorizationStatus(for: heartRate) == .sharingAuthorized)
    #expect(try permissions("deny", application, "--type", "heartRate", "--share").status == 0)
    await expectFailure(.errorAuthorizationDenied) { try await store.save(sample()) }
    #expect(try permissions("reset", application).status == 0)
    await expectFailure(.errorAuthorizationNotDetermined) { try await store.save(sample()) }
  }

  @Test func `a read denial by another process affects the next query`() async throws {
    try await store.acting(as: HKSource(name: "S", bundleIdentifier: "s")).save(sample())
    let query = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: heartRate)], sortDescriptors: [])
    _ = try permissions("grant", application, "--type", "heartRate", "--read")
    #expect(try await query.result(for: store).count == 1)
    _ = try permissions("deny", application, "--type", "heartRate", "--read")
    #expect(try await query.result(for: store).isEmpty)
  }

  @Test func `decisions are listed`() throws {
    _ = try permissions("grant", application, "--type", "heartRate", "stepCount", "--read")
    _ = try permissions("deny", application, "--type", "heartRate", "--share")
    let listed = try permissions("list", "--json").objects()
    #expect(listed.count == 2)
    #expect(listed.first?["type"] as? String == "HKQuantityTypeIdentifierHeartRate")
    #expect(listed.first?["bundleIdentifier"] as? String == application)
    #expect(listed.first?["share"] as? Bool == false)
    #expect(listed.first?["read"] as? Bool == true)
    #expect(listed.last?["share"] == nil)
    let lines = try permissions("list", application).lines
    #expect(lines.first?.contains("heartRate  save: denied  read: granted") == true)
    #expect(try permissions("list", "org.example.other").lines.isEmpty)
  }

  @Test func `a sheet asks for each type, or grants all at once`() async throws {
    try await request(share: [heartRate], read: [heartRate, HKQuantityType(.stepCount)]) {
      // The second line is not an answer, so the question is repeated.
      let result = try answer("n\nmaybe\ny\nno\nYES\n")
      #expect(result.status == 0)
      #expect(try result.objects().map { $0["share"] as? Bool } == [true, nil])
      #expect(try result.objects().map { $0["read"] as? Bool } == [false, true])
    }
    #expect(store.authorizationStatus(for: heartRate) == .sharingAuthorized)
    let workout = HKObjectType.workoutType()
    try await request(share: [workout], read: [workout]) { _ = try answer("y\n") }
    #expect(store.authorizationStatus(for: workout) == .sharingAuthorized)
  }

  @Test func `cancelling a sheet cancels the request`() async throws {
    await expectFailure(.errorUserCanceled) {
      try await request(share: [heartRate], read: []) { _ = try answer("c\n") }
    }
    #expect(store.authorizationStatus(for: heartRate) == .notDetermined)
  }

  @Test func `if the input ends, the application keeps waiting`() async throws {
    try await request(share: [heartRate], read: []) {
      #expect(try answer("n\n").status == 1)
      #expect(store.authorizationStatus(for: heartRate) == .notDetermined)
      _ = try answer("n\nn\n")
    }
    #expect(store.authorizationStatus(for: heartRate) == .sharingDenied)
  }

  @Test func `texts of an application do not control the terminal`() async throws {
    try await request(share: [heartRate], read: [heartRate]) {
      let shown = try answer("y\n").errors
      #expect(shown.contains("org.example.recorder"))
      #expect(shown.contains("To save: heartRate"))
      #expect(!shown.contains("\u{1B}"))
      #expect(!shown.contains("\u{202E}"))
      #expect(!shown.contains("\nAll is well"))
    }
  }

  @Test func `it is no error if no application is waiting`() throws {
    let result = try answer("")
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
  }

  @Test func `an invalid decision is a usage error`() throws {
    for arguments in [
      ["grant", application, "--type", "bloodPressure"], ["grant", application, "--type", "feeling"],
      ["grant", application, "--type", "bloodType", "--share"], ["grant", application],
      ["grant", application, "--type", "HKVisionPrescriptionTypeIdentifier", "--read"],
    ] {
      let result = try Command.hrgate(
        ["permissions"] + arguments + ["--store", folder.path("s.sqlite")])
      #expect(result.status == 2)
    }
    let chosen = "HKVisionPrescriptionTypeIdentifier"
    #expect(try permissions("deny", application, "--type", chosen, "--read").status == 0)
    #expect(try permissions("list", application).lines.isEmpty)
    #expect(try permissions("grant", "org.example.*", "--type", "heartRate").status == 1)
    #expect(try permissions("reset", "org.example.nobody").status == 1)
  }
}

/// Expects that the work fails with this error code.
private func expectFailure<Value>(
  _ code: HKError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> Value
) async {
  let error = await #expect(throws: HKError.self, sourceLocation: sourceLocation) { try await work() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
}
