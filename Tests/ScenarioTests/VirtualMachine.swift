import Foundation
import Testing

@testable import TestSupport

/// Runs `scripts/bluez-vm` with the executable that was built with these tests.
enum VirtualMachine {
  struct Result: Sendable {
    var status: Int32
    var output: String
    var seconds: Int

    var lastLines: String { output.split(separator: "\n").suffix(25).joined(separator: "\n") }

    /// The line in which `prepare` reports that there is no kernel to download, or nil. Without a kernel, the
    /// tests are skipped.
    ///
    /// A guest that does not start has the same exit status, 125, but not this line. That is a failure.
    var missingKernel: String? {
      guard status == 125 else { return nil }
      return output.split(separator: "\n").first { $0.hasPrefix("bluez-vm: apt knows no package ") }
        .map(String.init)
    }
  }

  static let package = URL(filePath: #filePath).appending(path: "../../..").standardized
  private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let scripts = package.appending(path: "scripts/bluez-vm")

  /// The sets of scenarios to run. `SET=` in a scenario names the smallest set that contains it.
  /// `scripts/bluez-vm/README.md` describes the sets.
  enum Extent: Int {
    case check, every, all
    /// Scenarios that scripts/package --test runs, because it builds the packages. These tests do not run
    /// them.
    case packages

    /// The set that `HRGATE_SCENARIOS` names. If it is not set, `all` with `HRGATE_LONG=1`, and otherwise
    /// `every`. Nil if its value is unknown, which a test reports as an error.
    static let asked: Extent? = {
      switch ProcessInfo.processInfo.environment["HRGATE_SCENARIOS"] {
      case "check": .check
      case "every": .every
      case "all": .all
      case nil, "": isLongRun ? .all : .every
      default: nil
      }
    }()
  }

  struct Scenario: Sendable, CustomTestStringConvertible {
    var name: String
    /// The name of the set after `SET=` in the scenario's file.
    var set: Substring

    var testDescription: String { name }

    /// The smallest set that contains the scenario; nil if the file names no known set.
    var extent: Extent? {
      switch self.set {
      case "check": .check
      case "every": .every
      case "all": .all
      case "packages": .packages
      default: nil
      }
    }
  }

  static let slow = [
    "killed-100", "soak", "short-links", "pairing", "eight-straps", "bad-neighbours", "faults-host",
    "faults-link", "bad-input", "enrol-and-follow", "faults-bond", "faults-clock",
  ]

  /// All scenarios in the order in which they start. Slow ones start first, so that no slow one remains at
  /// the end.
  static let scenarios: [Scenario] = {
    let folder = scripts.appending(path: "scenarios")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".sh") }.sorted().map { file in
      let text = (try? String(contentsOf: folder.appending(path: file), encoding: .utf8)) ?? ""
      let set = text.split(separator: "\n").first { $0.hasPrefix("SET=") }?.dropFirst(4)
      return Scenario(name: String(file.dropLast(3)), set: set ?? "")
    }.sorted { slow.firstIndex(of: $0.name) ?? .max < slow.firstIndex(of: $1.name) ?? .max }
  }()

  static let chosen = scenarios.filter { scenario in
    Extent.asked.map { (scenario.extent?.rawValue ?? 0) <= $0.rawValue } ?? false
  }

  /// Whether the programs that scripts/install installs exist. `setup` downloads everything else.
  static let isThere = ["qemu-system-x86_64", "jq", "busybox"].allSatisfy(isInstalled)

  private static func isInstalled(_ tool: String) -> Bool {
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
    }
  }

  static func run(_ scenario: Scenario) async throws -> Result {
    let setup = try await ready.value
    if setup.missingKernel != nil { return setup }
    try expectReady(setup)
    return try await start(
      scripts.appending(path: "scenario"), keptOutput(of: scenario) + [scenario.name],
      // The steps of a scenario have limits of their own. This limit applies if a step does not end.
      limit: isLongRun ? 3000 : 1500, environment: ["HRGATE": products.appending(path: "hrgate").path])
  }

  /// `HRGATE_SCENARIO_OUTPUT` is the directory in which the output of each scenario is kept, also of
  /// successful ones.
  private static func keptOutput(of scenario: Scenario) -> [String] {
    guard let folder = ProcessInfo.processInfo.environment["HRGATE_SCENARIO_OUTPUT"] else { return [] }
    return ["-o", "\(folder)/\(scenario.name)"]
  }

  static func python(_ arguments: String...) async throws -> Result {
    let setup = try await ready.value
    // If only the kernel is missing, `setup` has prepared everything else. Otherwise a failed setup is an
    // error.
    if setup.missingKernel == nil { try expectReady(setup) }
    return try await start(
      URL(filePath: "/usr/bin/env"), [try await interpreter, "-m"] + arguments, environment: [:])
  }

  private static func expectReady(_ setup: Result) throws {
    try #require(
      setup.status == 0,
      "scripts/bluez-vm/setup \(setup.status == 124 ? "took over 600 s" : "failed"): \(setup.lastLines)")
  }

  /// The interpreter of the harness's virtual environment, which has the modules that the scripts import.
  private static var interpreter: String {
    get async throws {
      let result = try await start(
        URL(filePath: "/bin/bash"), ["-c", ". scripts/bluez-vm/where.sh; echo $vm_python"], environment: [:])
      return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// Installs packages, the Python environment and the kernel, if they are missing.
  ///
  /// Stops after ten minutes, because downloads may hang, and is killed half a minute later.
  private static let ready = Task {
    try await start(scripts.appending(path: "setup"), [], limit: 600, environment: [:])
  }

  /// Ends a process after `limit` seconds, with the status 124, and kills it half a minute later.
  private static func start(
    _ executable: URL, _ arguments: [String], limit: Int, environment: [String: String]
  ) async throws -> Result {
    try await start(
      URL(filePath: "/usr/bin/timeout"), ["--kill-after=30", "\(limit)", executable.path] + arguments,
      environment: environment)
  }

  private static func start(
    _ executable: URL, _ arguments: [String], environment: [String: String]
  ) async throws -> Result {
    let folder = try TemporaryFolder()
    let output = folder.path("output")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = package
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let file = FileHandle(forWritingAtPath: output)
    process.standardOutput = file
    process.standardError = file
    let began = ContinuousClock.now
    // Waits without blocking a thread of the pool, which other tests need.
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return Result(
      status: status, output: String(decoding: try Data(contentsOf: URL(filePath: output)), as: UTF8.self),
      seconds: Int((ContinuousClock.now - began) / .seconds(1)))
  }
}
