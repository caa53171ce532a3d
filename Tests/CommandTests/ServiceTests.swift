import Foundation
import Testing

@testable import TestSupport

/// `hrgate service`, with a systemctl that keeps what it was told, and with the real one on an image.
@Suite(.timeLimit(.minutes(30))) struct ServiceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// - Parameter states: What `systemctl show` says of the unit, as a shell's text.
  private func systemctl(enabled: Bool = false) throws -> [String: String] {
    let programs = folder.path("bin")
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
    let state = enabled ? "UnitFileState=enabled" : "UnitFileState=disabled"
    let script = """
      #!/bin/sh
      echo "$0 $*" | sed 's|.*/||' >> '\(folder.path("told"))'
      case "$*" in
        *--user*show*hrgate.service) echo ActiveState=inactive; echo UnitFileState=disabled ;;
        *show*hrgate@*.service) echo ActiveState=inactive; echo \(state) ;;
      esac
      """
    for name in ["systemctl", "loginctl"] {
      let path = "\(programs)/\(name)"
      try Data(script.utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return ["PATH": "\(programs):\(path)", "XDG_CONFIG_HOME": folder.path("config")]
  }

  private var told: [String] {
    get throws {
      try String(contentsOfFile: folder.path("told"), encoding: .utf8).split(separator: "\n").map(String.init)
        .filter { !$0.contains("show") }
    }
  }

  @Test func `enable writes the user's unit, says so, and has systemd start it; disable ends it`() throws {
    let environment = try systemctl()
    let enabled = try Command.hrgate("service", ["enable", "--user"], environment: environment)
    let file = folder.path("config/systemd/user/hrgate.service")
    #expect(enabled.status == 0, "\(enabled.errors)")
    #expect(
      enabled.lines == [
        "writes \(file)", "runs systemctl --user daemon-reload",
        "runs systemctl --user enable --now hrgate.service",
        "hrgate.service is enabled: it follows your monitors while you are logged in",
      ])
    #expect(
      try told == ["systemctl --user daemon-reload", "systemctl --user enable --now hrgate.service"])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("ExecStart=\(Command.hrgate.path) run --wait\n"))
    // Again there is nothing to write.
    let again = try Command.hrgate("service", ["enable", "--user"], environment: environment)
    #expect(again.lines.first == "runs systemctl --user enable --now hrgate.service")
    // A unit of before is replaced, and whoever runs by it is started anew.
    try "[Service]\n".write(toFile: file, atomically: true, encoding: .utf8)
    let replaced = try Command.hrgate("service", ["enable", "--user"], environment: environment)
    #expect(replaced.lines.first == "replaces \(file)")
    #expect(replaced.lines.contains("runs systemctl --user try-restart hrgate.service"))
    let disabled = try Command.hrgate("service", ["disable", "--user"], environment: environment)
    #expect(
      disabled.lines == [
        "runs systemctl --user disable --now hrgate.service", "hrgate.service is disabled",
      ])
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func `one service is enough: with the machine's enabled, the user's is refused`() throws {
    let environment = try systemctl(enabled: true)
    let result = try Command.hrgate("service", ["enable", "--user"], environment: environment)
    #expect(result.status == 1 && result.errors.contains("hrgate service disable --system"), "\(result)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("config")))
  }

  @Test func `status tells of both`() throws {
    let environment = try systemctl(enabled: true).merging(["SUDO_USER": "root"]) { $1 }
    let result = try Command.hrgate("service", ["status", "--json"], environment: environment)
    let objects = try result.objects()
    #expect(objects.map { $0["scope"] as? String } == ["system", "user"])
    #expect(objects.map { $0["enablement"] as? String } == ["enabled", "disabled"], "\(result)")
  }

  @Test(arguments: [["enable", "--user"], ["disable", "--user"], ["status", "--user"]])
  func `without systemd each says so, and what else starts the gateway`(arguments: [String]) throws {
    let result = try Command.hrgate(
      "service", arguments,
      environment: ["PATH": folder.path("none"), "XDG_CONFIG_HOME": folder.path("config")])
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("hrgate run --wait"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("config")))
  }

  @Test(.enabled(if: Command.path(of: "systemctl") != nil))
  func `in the image of a machine the machine's service is enabled for its owner`() throws {
    let result = try Command.hrgate(
      "service", "enable", "--system", "--account", "anna", "--image", folder.url.path)
    #expect(result.status == 0, "\(result)")
    let link = folder.path("etc/systemd/system/bluetooth.target.wants/hrgate@anna.service")
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: link)
    #expect(target == "/etc/systemd/system/hrgate@.service")
    // What this machine calls its program says nothing of the image.
    let unit = try String(
      contentsOf: folder.url.appending(path: "etc/systemd/system/hrgate@.service"), encoding: .utf8)
    #expect(unit.contains("ExecStart=/usr/local/bin/hrgate run"))
    let disabled = try Command.hrgate(
      "service", "disable", "--system", "--account", "anna", "--image", folder.url.path)
    #expect(disabled.status == 0, "\(disabled)")
    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == nil)
  }

  @Test func `options that contradict each other are refused`() throws {
    for arguments in [["--user", "--account", "anna"], ["--user", "--image", "/"], ["--user", "--system"]] {
      #expect(try Command.hrgate(["service", "enable"] + arguments).status == 2, "\(arguments)")
    }
    #expect(
      try Command.hrgate("service", "enable", "--system", "--image", "/x", "--account", "a b").status == 1)
  }
}
