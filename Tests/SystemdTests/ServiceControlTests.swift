import Foundation
import Testing

@testable import Systemd
@testable import TestSupport

@Suite struct ServiceControlTests {
  /// The plan for an image of a machine, which needs no systemd that runs.
  private func control(
    _ image: TemporaryFolder, home: String = "/home/anna", program: String = "/usr/bin/hrgate"
  ) -> ServiceControl {
    ServiceControl(
      scope: .system(owner: "anna"), owner: ServiceOwner(name: "anna", home: home, number: 1000),
      program: program,
      configuration: "/home/anna/.config", image: image.url.path)
  }

  private func writes(_ steps: [ServiceStep]) -> [String] {
    steps.compactMap { if case .write(let path, _, _) = $0 { path } else { nil } }
  }

  @Test func `it writes the unit where nobody brought it, replaces an older one, and leaves a package's`()
    throws
  {
    let image = try TemporaryFolder()
    let own = image.path("etc/systemd/system/hrgate@.service")
    let steps = try control(image).enabling()
    #expect(writes(steps) == [own])
    #expect(
      steps.last?.sentence == "runs systemctl --root=\(image.url.path) enable hrgate@anna.service")
    try #require(steps.first).perform()
    #expect(try writes(control(image).enabling()).isEmpty)
    try Data("[Unit]\n".utf8).write(to: URL(filePath: own))
    #expect(try control(image).enabling().first?.sentence == "replaces \(own)")
    try FileManager.default.removeItem(atPath: own)
    let package = image.path("usr/lib/systemd/system")
    try FileManager.default.createDirectory(atPath: package, withIntermediateDirectories: true)
    try Data("[Unit]\n".utf8).write(to: URL(filePath: package + "/hrgate@.service"))
    #expect(try writes(control(image).enabling()).isEmpty)
  }

  @Test func `a home elsewhere is named in a file of its own`() throws {
    let image = try TemporaryFolder()
    let steps = try control(image, home: "/srv/100%/anna").enabling()
    let place = image.path("etc/systemd/system/hrgate@anna.service.d/home.conf")
    let text = steps.compactMap { step in
      if case .write(place, let text, replaces: false) = step { text } else { nil }
    }.first
    #expect(
      text == """
        [Service]
        BindPaths=
        BindPaths=/srv/100%%/anna/.local/share/hrgate
        BindReadOnlyPaths=
        BindReadOnlyPaths=-/srv/100%%/anna/.config/hrgate

        """)
  }

  @Test(arguments: ["/home/anna/hrgate", "/root/hrgate", "/tmp/x/hrgate"])
  func `a program that the service would not see is refused, with what to do`(program: String) throws {
    let image = try TemporaryFolder()
    let refusal = #expect(throws: ServiceRefusal.self) {
      try control(image, program: program).enabling()
    }
    #expect(refusal?.description.contains("sudo install -m 755 \(program) /usr/local/bin/hrgate") == true)
  }

  @Test func `what systemctl shows of a unit is read, also of one that is not there`() {
    let running = ServiceCondition(
      unit: "hrgate.service",
      properties: """
        FragmentPath=/etc/systemd/user/hrgate.service
        UnitFileState=enabled
        ActiveState=active
        MainPID=71
        StatusText=1 monitor: 1 away; a=b

        """)
    #expect(running.isEnabled && running.state == "active" && running.process == 71)
    #expect(running.status == "1 monitor: 1 away; a=b" && running.file == "/etc/systemd/user/hrgate.service")
    let absent = ServiceCondition(
      unit: "hrgate.service", properties: "FragmentPath=\nUnitFileState=\nActiveState=inactive\nMainPID=0\n")
    #expect(!absent.isEnabled && absent.enablement == "not installed" && absent.process == nil)
    #expect(absent.file == nil && absent.status == nil)
  }
}
