import Foundation
import Systemd
import Testing

@testable import TestSupport
@testable import hrgate

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
        show-user*) echo no ;;
        *--user*show-environment) echo 'XDG_CONFIG_HOME=\(folder.path("config"))' ;;
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

  @Test(arguments: ["hrgate.service", "hrgate@.service"])
  func `what stays refused is not started again`(unit: String) throws {
    let file = URL(filePath: #filePath).appending(path: "../../../systemd/\(unit)").standardized
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("\nRestartPreventExitStatus=2 \(Failure.unusable)\n"))
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
    #expect(enabled.errors.hasSuffix("to have it run from boot on: loginctl enable-linger\n"), "\(enabled)")
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
    let name = try #require(ServiceOwner.current).name
    let arguments = ["status", "--json", "--account", name]
    let result = try Command.hrgate("service", arguments, environment: try systemctl(enabled: true))
    let objects = try result.objects()
    #expect(objects.map { $0["scope"] as? String } == ["system", "user"])
    #expect(objects.map { $0["enablement"] as? String } == ["enabled", "disabled"], "\(result)")
  }

  // MARK: - Whose store

  @Test func `the user's service looks for the store where the user's programs do`() throws {
    var environment = try systemctl()
    environment["XDG_DATA_HOME"] = folder.path("data")
    environment["HRGATE_STORE"] = folder.path("data 2/s.sqlite")
    let result = try Command.hrgate("service", ["enable", "--user"], environment: environment)
    #expect(result.status == 0, "\(result)")
    let place = folder.path("config/systemd/user/hrgate.service.d/home.conf")
    #expect(result.lines.contains("writes \(place)"), "\(result)")
    // What its manager gives it is not said again.
    #expect(
      try String(contentsOfFile: place, encoding: .utf8) == """
        [Service]
        Environment="HRGATE_STORE=\(folder.path("data 2/s.sqlite"))" "XDG_DATA_HOME=\(folder.path("data"))"

        """)
    environment["XDG_DATA_HOME"] = ""
    environment["HRGATE_STORE"] = ""
    let usual = try Command.hrgate("service", ["enable", "--user"], environment: environment)
    #expect(usual.lines.contains("removes \(place)"), "\(usual)")
    #expect(usual.lines.contains("runs systemctl --user try-restart hrgate.service"))
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  @Test(.enabled(if: Command.path(of: "systemctl") != nil))
  func `the machine's service sees the store that its owner has set`() throws {
    try makeImage()
    try FileManager.default.createDirectory(
      atPath: folder.path("home/anna/.config/hrgate"), withIntermediateDirectories: true)
    _ = try folder.file(
      "home/anna/.config/hrgate/config", Array("store = ~/hearts/mine/health.sqlite\n".utf8))
    let result = try enable()
    #expect(result.status == 0, "\(result)")
    let text = try String(
      contentsOfFile: folder.path("etc/systemd/system/hrgate@anna.service.d/home.conf"), encoding: .utf8)
    #expect(text.contains(#"BindPaths="/home/anna/hearts/mine""#), "\(text)")
    #expect(FileManager.default.fileExists(atPath: folder.path("home/anna/hearts/mine")))
    _ = try folder.file("home/anna/.config/hrgate/config", Array("store = ~/health.sqlite\n".utf8))
    let refused = try enable()
    #expect(refused.status == 1 && refused.errors.contains("a folder of its own"), "\(refused)")
    _ = try folder.file("home/anna/.config/hrgate/config", Array("stroe = ~/health.sqlite\n".utf8))
    let wrong = try enable()
    #expect(wrong.status == 2 && wrong.errors.contains("do you mean store?"), "\(wrong)")
    // What is set wrongly keeps nobody from ending a service.
    #expect(try disable().status == 0)
  }

  // MARK: - Whose service

  private static let asRoot = geteuid() == 0
  private static let sudo = ["SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody"]

  @Test(.enabled(if: asRoot))
  func `who calls sudo is the owner, and their own service is seen by its link`() throws {
    let environment = try systemctl().merging(Self.sudo) { $1 }
    let status = try Command.hrgate("service", ["status", "--system"], environment: environment)
    #expect(status.lines.first?.hasPrefix("hrgate@nobody.service: disabled") == true, "\(status)")
    let wants = folder.path("config/systemd/user/bluetooth.target.wants")
    try FileManager.default.createDirectory(atPath: wants, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: wants + "/hrgate.service", withDestinationPath: "/usr/lib/systemd/user/hrgate.service")
    let refused = try Command.hrgate("service", ["enable"], environment: environment)
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.errors.contains("hrgate service disable --user"), "\(refused)")
    let user = try Command.hrgate("service", ["enable", "--user"], environment: environment)
    #expect(user.status == 1 && user.errors.contains("without sudo"), "\(user)")
  }

  /// As `sudo -u nobody hrgate …` leaves it: who called is another.
  @Test(.enabled(if: asRoot && Command.path(of: "setpriv") != nil))
  func `run as another user by sudo, it is that user's service that is asked for`() throws {
    var environment = try systemctl(enabled: true)
    environment.merge(["SUDO_UID": "0", "SUDO_GID": "0", "SUDO_USER": "root"]) { $1 }
    // Others than root have to reach the program and what stands for systemctl.
    try FileManager.default.copyItem(atPath: Command.hrgate.path, toPath: folder.path("hrgate"))
    for path in [folder.url.path, folder.path("bin")] { chmod(path, 0o777) }
    let assignments = environment.map { "\($0)=\($1)" }
    let result = try Command.tool(
      "setpriv",
      ["--reuid=65534", "--clear-groups", "--", "env"] + assignments
        + [folder.path("hrgate"), "service", "status"])
    #expect(result.lines.first?.hasPrefix("hrgate@nobody.service: enabled") == true, "\(result)")
  }

  @Test func `a user whose name is no part of a unit's is refused, and told of the other service`() throws {
    try makeImage(name: "anna@example.org")
    let result = try Command.hrgate(
      "service", "enable", "--system", "--account", "anna@example.org", "--image", folder.url.path)
    #expect(result.status == 1 && result.errors.contains("hrgate service enable --user"), "\(result)")
    let unknown = try enable()
    #expect(unknown.status == 1 && unknown.errors.contains("has no user anna"), "\(unknown)")
  }

  /// A machine that does not run, with one user and their home.
  private func makeImage(name: String = "anna") throws {
    for path in ["etc", "home/anna"] {
      try FileManager.default.createDirectory(atPath: folder.path(path), withIntermediateDirectories: true)
    }
    _ = try folder.file(
      "etc/passwd", Array("\(name):x:\(geteuid()):\(getegid()):Anna:/home/anna:/bin/sh\n".utf8))
  }

  private func enable() throws -> CommandResult {
    try Command.hrgate("service", "enable", "--system", "--account", "anna", "--image", folder.url.path)
  }

  private func disable() throws -> CommandResult {
    try Command.hrgate("service", "disable", "--system", "--account", "anna", "--image", folder.url.path)
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
    try makeImage()
    let result = try enable()
    #expect(result.status == 0, "\(result)")
    #expect(FileManager.default.fileExists(atPath: folder.path("home/anna/.local/share/hrgate")))
    let policy = "etc/dbus-1/system.d/org.hrgate.Gateway1.uid\(geteuid()).conf"
    #expect(FileManager.default.fileExists(atPath: folder.path(policy)))
    let link = folder.path("etc/systemd/system/bluetooth.target.wants/hrgate@anna.service")
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: link)
    #expect(target == "/etc/systemd/system/hrgate@.service")
    // What this machine calls its program says nothing of the image.
    let unit = try String(
      contentsOf: folder.url.appending(path: "etc/systemd/system/hrgate@.service"), encoding: .utf8)
    #expect(unit.contains("ExecStart=/usr/local/bin/hrgate run"))
    #expect(try status() == ["hrgate@anna.service: enabled, not running"])
    let disabled = try disable()
    #expect(disabled.status == 0, "\(disabled)")
    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == nil)
    #expect(try status() == ["hrgate@anna.service: disabled, not running"])
  }

  @Test func `of an image it is told how both services stand, by the files alone`() throws {
    try makeImage()
    let arguments = ["--account", "anna", "--image", folder.url.path, "--json"]
    // Nothing may be asked of systemctl: it shows nothing of an image.
    let result = try Command.hrgate(
      "service", ["status"] + (geteuid() == 0 ? [] : ["--system"]) + arguments,
      environment: ["PATH": folder.path("none")])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    let objects = try result.objects()
    #expect(objects.first?["unit"] as? String == "hrgate@anna.service")
    #expect(objects.allSatisfy { $0["state"] as? String == "not running" }, "\(result)")
    #expect(objects.allSatisfy { $0["enablement"] as? String == "not installed" }, "\(result)")
  }

  private func status() throws -> [String] {
    try Command.hrgate("service", "status", "--system", "--account", "anna", "--image", folder.url.path).lines
  }

  @Test func `options that contradict each other are refused`() throws {
    for arguments in [["--user", "--account", "anna"], ["--user", "--image", "/"], ["--user", "--system"]] {
      #expect(try Command.hrgate(["service", "enable"] + arguments).status == 2, "\(arguments)")
    }
    #expect(
      try Command.hrgate("service", "enable", "--system", "--image", "/x", "--account", "a b").status == 1)
  }
}
