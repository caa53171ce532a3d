import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct DeliverTests {
  /// Runs `body` with a store in which an application is registered for background delivery of heart rates.
  private func withRegistration(
    executable: String, unit: String? = nil, name: String = "Example",
    _ body: (_ store: String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("health.sqlite")
    try await register("org.example.background", name: name, executable: executable, unit: unit, in: path)
    try await body(path)
  }

  /// Registers an application and saves a sample for it.
  private func register(
    _ identifier: String, name: String = "Example", executable: String, unit: String? = nil, in store: String
  ) async throws {
    let application = try HKHealthStore.Application(
      bundleIdentifier: identifier, name: name,
      entitlements: .init(healthKit: true, backgroundDelivery: true), healthShareUsageDescription: "r",
      healthUpdateUsageDescription: "w", backgroundUnit: unit)
    let system = try HKHealthStore(storeAt: store)
    try await SystemStore(system).setPermission(
      share: nil, read: true, on: [HKQuantityType(.heartRate)], for: application.bundleIdentifier)
    try await system.register(application, executable: executable, for: HKQuantityType(.heartRate))
    try await system.save(
      HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 60),
        start: Date(), end: Date()))
  }

  @Test func `an application is started once, and not again before its interval has passed`() async throws {
    let folder = try TemporaryFolder()
    let script = folder.path("application")
    let mark = folder.path("mark")
    try "#!/bin/sh\necho started >> '\(mark)'\n".write(toFile: script, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
    try await withRegistration(executable: script) { store in
      let first = try Command.hrgate("deliver", "--once", "--json", "--store", store)
      #expect(first.status == 0)
      let object = try #require(try first.objects().first)
      #expect(object["bundleIdentifier"] as? String == "org.example.background")
      #expect(object["types"] as? [String] == [HKQuantityType(.heartRate).identifier])
      #expect(object["failure"] == nil)
      #expect(await eventually { FileManager.default.fileExists(atPath: mark) })
      let second = try Command.hrgate("deliver", "--once", "--store", store)
      #expect(second.status == 0)
      #expect(second.output == "")
    }
  }

  @Test(arguments: [
    (0, "started"),
    (
      5,
      "not started: systemctl --user start example.service failed with status 5; "
        + "check the unit: systemctl --user status example.service"
    ),
  ])
  func `a unit is started by systemctl, and its exit status decides`(_ status: Int, _ outcome: String)
    async throws
  {
    let folder = try TemporaryFolder()
    let mark = folder.path("mark")
    try "#!/bin/sh\necho \"$@\" > '\(mark)'\nexit \(status)\n".write(
      toFile: folder.path("systemctl"), atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path("systemctl"))
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    try await withRegistration(executable: "", unit: "example.service", name: "Ex\u{1B}[2Jample") { store in
      let result = try Command.hrgate(
        "deliver", "--once", "--store", store, environment: ["PATH": folder.path("") + ":" + path])
      #expect(result.status == 0)
      #expect(result.output.contains("  \(outcome): HKQuantityTypeIdentifierHeartRate"))
      #expect(!result.output.contains("\u{1B}"))
      #expect(
        try String(contentsOfFile: mark, encoding: .utf8) == "--user --no-block start example.service\n")
    }
  }

  @Test func `an application that cannot be started is named with the reason`() async throws {
    try await withRegistration(executable: "/nowhere/at/all") { store in
      let result = try Command.hrgate("deliver", "--once", "--store", store)
      #expect(result.status == 0)
      #expect(result.output.contains("not started"))
      #expect(result.output.contains("Example (org.example.background)"))
    }
  }

  @Test func `applications that become due during the run are started, until it is interrupted`() async throws
  {
    try await withRegistration(executable: "/bin/true") { store in
      let folder = try TemporaryFolder()
      let file = folder.path("output")
      #expect(FileManager.default.createFile(atPath: file, contents: nil))
      let process = Process()
      process.executableURL = Command.hrgate
      process.arguments = ["deliver", "--store", store]
      process.standardOutput = try FileHandle(forWritingTo: URL(filePath: file))
      try process.run()
      defer { if process.isRunning { process.terminate() } }
      func started(_ identifier: String) async throws -> Bool {
        try await eventually {
          try String(contentsOfFile: file, encoding: .utf8).contains("(\(identifier))  started")
        }
      }
      #expect(try await started("org.example.background"))
      // The first application waits until its next delivery is due. Before that, the commit for another
      // application must be noticed.
      try await register("org.example.later", executable: "/bin/true", in: store)
      #expect(try await started("org.example.later"))
      process.interrupt()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(process.terminationReason == .exit)
    }
  }

  // MARK: - With several people

  /// Runs `body` with Anna's store and the owner's. Each has a new sample for an application.
  private func withPeople(
    executable: String, unit: String? = nil,
    _ body: (_ home: [String: String], _ folder: TemporaryFolder) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let home = ["XDG_DATA_HOME": folder.path("data"), "XDG_CONFIG_HOME": folder.path("config")]
    #expect(try Command.hrgate("people", ["add", "Anna"], environment: home).status == 0)
    for place in ["", "/people/Anna"] {
      try await register(
        "org.example.background", executable: executable.replacing("FOLDER", with: folder.path("")),
        unit: unit, in: folder.path("data/hrgate\(place)/health.sqlite"))
    }
    try await body(home, folder)
  }

  private func script(_ text: String, in folder: TemporaryFolder, _ name: String) throws {
    try "#!/bin/sh\n\(text)\n".write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path(name))
  }

  @Test(arguments: [
    (["--person", "anna"], "owner", "Anna"), ([], "anna", "Anna"), (["--person", "owner"], "anna", "unset"),
    ([], "", "unset"),
  ])
  func `an executable gets the person whose store it is started for`(
    arguments: [String], person: String, expected: String
  ) async throws {
    try await withPeople(executable: "FOLDER/application") { home, folder in
      let mark = folder.path("mark")
      try script(
        "echo \"${HRGATE_PERSON-unset}\" > '\(mark).new'; mv '\(mark).new' '\(mark)'", in: folder,
        "application")
      let result = try Command.hrgate(
        "deliver", ["--once"] + arguments, environment: home.merging(["HRGATE_PERSON": person]) { $1 })
      #expect(result.status == 0 && result.output.contains("started:"), "\(result)")
      #expect(await eventually { FileManager.default.fileExists(atPath: mark) })
      #expect(try String(contentsOfFile: mark, encoding: .utf8) == "\(expected)\n")
    }
  }

  @Test(arguments: [
    ("anna", "A=1 HRGATE_PERSON=anna", true), ("anna", #""HRGATE_PERSON=Anna" "B=c d""#, true),
    ("anna", "", false), ("anna", "HRGATE_PERSON=Ben", false), ("owner", "", true),
    ("owner", "HRGATE_PERSON=owner", true), ("owner", "X_HRGATE_PERSON=anna", true),
    ("owner", "HRGATE_PERSON=anna", false),
  ])
  func `a unit is started only for the person in its environment`(
    person: String, environment: String, isStarted: Bool
  ) async throws {
    try await withPeople(executable: "", unit: "example.service") { home, folder in
      let mark = folder.path("mark")
      try script(
        "case \"$2\" in show) printf '%s\\n' '\(environment)';; *) echo \"$@\" > '\(mark)';; esac",
        in: folder,
        "systemctl")
      let path = try #require(ProcessInfo.processInfo.environment["PATH"])
      let result = try Command.hrgate(
        "deliver", ["--once", "--person", person],
        environment: home.merging(["PATH": folder.path("") + ":" + path]) { $1 })
      #expect(result.status == 0)
      let started = try? String(contentsOfFile: mark, encoding: .utf8)
      #expect(started == (isStarted ? "--user --no-block start example.service\n" : nil), "\(result)")
      #expect(result.output.contains(isStarted ? "started:" : "not started: the unit example.service"))
    }
  }
}
