import Foundation
import Testing

@testable import Systemd
@testable import TestSupport

@Suite struct UnitTests {
  private static let analyzer = "/usr/bin/systemd-analyze"
  private static let hasAnalyzer: Bool = {
    let isThere = FileManager.default.isExecutableFile(atPath: analyzer)
    if !isThere { print("skipped: \(analyzer) is not installed") }
    return isThere
  }()

  private static let scopes: [ServiceScope] = [.system(owner: "anna"), .user]

  @Test(arguments: scopes)
  func `the file in the repository is what the program writes`(scope: ServiceScope) throws {
    let file = URL(filePath: #filePath).appending(path: "../../../../systemd/\(scope.file)").standardized
    #expect(
      try String(contentsOf: file, encoding: .utf8) == scope.text(program: "/usr/local/bin/hrgate"),
      "scripts and pages name this file")
  }

  /// The unit as systemd would find it, with a program that is there.
  private func file(_ scope: ServiceScope, in folder: TemporaryFolder) throws -> String {
    try folder.file(scope.unit, Array(scope.text(program: "/bin/true").utf8))
  }

  @Test(.enabled(if: hasAnalyzer), arguments: scopes)
  func `systemd finds nothing wrong with the units`(scope: ServiceScope) throws {
    let folder = try TemporaryFolder()
    let path = try file(scope, in: folder)
    let manager = scope == .user ? "--user" : "--system"
    let verified = try SystemProgram.run([
      "env", "XDG_RUNTIME_DIR=\(folder.url.path)", Self.analyzer, "verify", manager, path,
    ])
    #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified.errors)")
  }

  @Test(.enabled(if: hasAnalyzer))
  func `systemd finds the machine's service exposed by 2.0 at most`() throws {
    let folder = try TemporaryFolder()
    let path = try file(.system(owner: "anna"), in: folder)
    let security = try SystemProgram.run(
      [Self.analyzer, "security", "--offline=yes", "--threshold=20", "--no-pager", path])
    #expect(security.status == 0, "\(security.output.suffix(200)) \(security.errors)")
  }

  @Test func `a path with what systemd takes for more than text stays a path`() {
    let text = ServiceScope.user.text(program: "/opt/my \"hr\"/100%/$HOME/hrgate")
    #expect(text.contains(#"ExecStart="/opt/my \"hr\"/100%%/$$HOME/hrgate" run --wait"#))
  }

  // MARK: - Places elsewhere

  private static let manager = "/lib/systemd/systemd"

  /// As systemd understands it, which dumps what it would run.
  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: manager)),
    arguments: [
      "/srv/a b", "/srv/a:b", #"/srv/a\b"#, "/srv/100%/$HOME", #"/srv/a"b"#, "/srv/it's", "/srv/a;b # c",
    ])
  func `a place stays a place, whatever is in its name`(path: String) throws {
    let folder = try TemporaryFolder()
    let owner = ServiceOwner(name: "anna", home: "/home/anna", number: 1000, group: 1000)
    let places = ServicePlaces(
      storeFolder: path, configuration: path + "/c", variables: ["XDG_DATA_HOME": path])
    try places.check(for: .system(owner: "anna"), of: owner)
    let addition = try #require(places.addition(to: .system(owner: "anna"), of: owner))
    _ = try folder.file("hrgate.service", Array((addition + "ExecStart=/bin/true\n").utf8))
    // It tests for nobody who could harm it.
    chmod(folder.url.path, 0o777)
    let unprivileged = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--clear-groups", "--"] : []
    let dump = try SystemProgram.run(
      unprivileged + [
        "env", "SYSTEMD_UNIT_PATH=\(folder.url.path):", "XDG_RUNTIME_DIR=\(folder.url.path)",
        "SYSTEMD_LOG_TARGET=console", Self.manager, "--test", "--system", "--unit=hrgate.service",
      ])
    let lines = dump.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.contains("BindPaths: \(path):\(path):rbind"), "\(dump.errors.suffix(500))")
    #expect(lines.contains("BindReadOnlyPaths: -\(path)/c/hrgate:\(path)/c/hrgate:rbind"))
    #expect(lines.contains("Environment: XDG_DATA_HOME=\(path)"))
  }
}
