import Foundation
import HealthKit

@testable import TestSupport

/// A user's machine: a store of its own, and any number of terminals.
struct ExampleMachine {
  private let folder: TemporaryFolder
  private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  static let package = URL(filePath: #filePath).appending(path: "../../../..").standardized
  /// The examples are installed once, because the tests share the executables.
  private static let areInstalled = Result {
    for example in ["HeartRateRecorder", "HeartRateReader"] { try install(example) }
  }

  init() throws {
    try Self.areInstalled.get()
    folder = try TemporaryFolder()
  }

  func start(_ program: String, _ arguments: String...) throws -> PseudoTerminal {
    try PseudoTerminal(
      Self.products.appending(path: program), arguments,
      environment: ["XDG_DATA_HOME": folder.url.path, "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no"])
  }

  /// Runs a command as the user and waits until it ends.
  func hrgate(_ arguments: String...) throws -> String {
    let terminal = try PseudoTerminal(
      Self.products.appending(path: "hrgate"), arguments,
      environment: ["XDG_DATA_HOME": folder.url.path, "SWIFT_BACKTRACE": "enable=no"])
    let status = try terminal.waitForEnd()
    guard status == 0 else {
      throw PseudoTerminal.TimeoutError(description: "hrgate \(arguments): \(status)\n\(terminal.transcript)")
    }
    return terminal.transcript
  }

  /// Opens the permission sheet of a waiting application. Retries, because an application may take a while to
  /// ask again.
  func sheet(within limit: Duration = hangLimit) throws -> PseudoTerminal {
    let end = ContinuousClock.now + limit
    while true {
      let sheet = try start("hrgate", "permissions", "ask")
      do {
        try sheet.wait(for: "would like to use your health data")
        return sheet
      } catch {
        guard ContinuousClock.now < end else { throw error }
      }
    }
  }

  /// Answers the permission sheet of the waiting application.
  func answer(_ lines: String...) throws {
    let sheet = try sheet()
    for (place, line) in lines.enumerated() {
      try sheet.wait(for: place == 0 ? "[c]ancel" : "[y/n/c]")
      sheet.type(line)
    }
    guard try sheet.waitForEnd() == 0 else {
      throw PseudoTerminal.TimeoutError(description: sheet.transcript)
    }
  }

  /// Opens the same store as another application with all permissions.
  func store(of bundleIdentifier: String, named name: String) throws -> HKHealthStore {
    try HKHealthStore(
      configuration: .init(
        location: .file(folder.path("hrgate/health.sqlite")),
        application: .init(bundleIdentifier: bundleIdentifier, name: name), decision: .everything))
  }

  /// Installs the resources next to the executable, as `scripts/example` does.
  private static func install(_ example: String) throws {
    let resources = products.appending(path: "\(example).resources")
    try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
    for file in ["Info.plist", "\(example).entitlements"] {
      let data = try Data(contentsOf: package.appending(path: "Examples/\(example)/\(file)"))
      try data.write(to: resources.appending(path: file), options: .atomic)
    }
  }
}
