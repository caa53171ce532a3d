import Foundation
import Testing

@testable import TestSupport

/// Tests the unit files in the directory `systemd`.
@Suite(.timeLimit(.minutes(30))) struct UnitTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
  private static let analyzer = "/usr/bin/systemd-analyze"
  private static let hasAnalyzer: Bool = {
    let isThere = FileManager.default.isExecutableFile(atPath: analyzer)
    if !isThere { print("skipped: \(analyzer) is not installed") }
    return isThere
  }()

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Returns the text of a unit file for the instance `name`, with a program that exists.
  private func unit(_ file: String, as name: String) throws -> String {
    let text = try String(contentsOf: Self.root.appending(path: "systemd/\(file)"), encoding: .utf8)
    let installed = text.replacing("=/usr/local/bin/hrgate ", with: "=/bin/true ")
      .replacing("=/usr/local/libexec/hrgate-prepare ", with: "=/bin/true ")
    return try folder.file(name, Array(installed.utf8))
  }

  private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging([
      "XDG_RUNTIME_DIR": folder.url.path, "DESTDIR": folder.path("root"), "HRGATE": "/bin/true",
    ]) { $1 }
    let output = try process.output(includingErrors: true)
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  @Test(
    .enabled(if: hasAnalyzer),
    arguments: [
      ("hrgate@.service", "hrgate@anna.service", "--system"),
      ("hrgate-prepare@.service", "hrgate-prepare@anna.service", "--system"),
      ("hrgate.service", "hrgate.service", "--user"),
      ("hrgate-lock.service", "hrgate-lock.service", "--user"),
    ])
  func `systemd finds no problems in the units`(file: String, name: String, manager: String) throws {
    let verified = try run(Self.analyzer, ["verify", manager, unit(file, as: name)])
    #expect(verified.status == 0 && verified.output.isEmpty, "\(verified.output)")
  }

  @Test(.enabled(if: hasAnalyzer))
  func `systemd rates the exposure of the system service at most 2.0`() throws {
    let path = try unit("hrgate@.service", as: "hrgate@anna.service")
    let security = try run(
      Self.analyzer, ["security", "--offline=yes", "--threshold=20", "--no-pager", path])
    #expect(security.status == 0, "\(security.output.suffix(400))")
  }

  @Test func `an installation from source has every file that its units name`() throws {
    let script = Self.root.appending(path: "scripts/install").path
    let installed = try run(script, ["--program"])
    try #require(installed.status == 0, "\(installed.output)")
    for unit in [
      "system/hrgate@.service", "system/hrgate-prepare@.service", "user/hrgate.service",
      "user/hrgate-lock.service",
    ] {
      let path = folder.path("root/usr/local/lib/systemd/\(unit)")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let programs = text.matches(of: /(?m)^Exec\w+=[-+]*(\S+)/).map { String($0.1) }
      #expect(!programs.isEmpty)
      for program in programs {
        #expect(
          FileManager.default.isExecutableFile(atPath: folder.path("root\(program)")), "\(unit): \(program)")
      }
    }
    #expect(
      FileManager.default.fileExists(atPath: folder.path("root/etc/udev/rules.d/70-hrgate-adapter.rules")))
    #expect(installed.output.contains("sudo systemctl enable --now hrgate@"))
  }
}
