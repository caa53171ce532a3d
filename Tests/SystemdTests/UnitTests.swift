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
    let file = URL(filePath: #filePath).appending(path: "../../../systemd/\(scope.file)").standardized
    #expect(
      try String(contentsOf: file, encoding: .utf8) == scope.text(program: "/usr/local/bin/hrgate"),
      "scripts and pages name this file")
  }

  /// The unit as systemd would find it, with a program that is there.
  private func file(_ scope: ServiceScope, in folder: TemporaryFolder) throws -> String {
    try folder.file(scope.unit, Array(scope.text(program: "/bin/true").utf8))
  }

  @Test(.enabled(if: hasAnalyzer))
  func `systemd finds the machine's service exposed by 2.0 at most, and nothing wrong with it`() throws {
    let folder = try TemporaryFolder()
    let path = try file(.system(owner: "anna"), in: folder)
    let security = try SystemProgram.run(
      [Self.analyzer, "security", "--offline=yes", "--threshold=20", "--no-pager", path])
    #expect(security.status == 0, "\(security.output.suffix(200)) \(security.errors)")
    let verified = try SystemProgram.run([Self.analyzer, "verify", path])
    #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified.errors)")
  }

  @Test func `a path with what systemd takes for more than text stays a path`() {
    let text = ServiceScope.user.text(program: "/opt/my \"hr\"/100%/$HOME/hrgate")
    #expect(text.contains(#"ExecStart="/opt/my \"hr\"/100%%/$$HOME/hrgate" run --wait"#))
  }

  @Test func `a user's name is a part of a unit's where systemd would escape nothing in it`() {
    for name in ["anna", "anna-maria", "a.b_c", "hr2"] {
      #expect(ServiceOwner(name: name, home: "/", number: 1000).canBeInstance, "\(name)")
    }
    for name in ["", "-x", ".x", "a b", "DOMAIN\\anna", "a/b", "ann\u{E4}", "anna@example.org"] {
      #expect(!ServiceOwner(name: name, home: "/", number: 1000).canBeInstance, "\(name)")
    }
  }
}
