import Foundation
import Testing

@testable import Systemd
@testable import TestSupport

@Suite struct ServiceControlTests {
  private let image: TemporaryFolder

  init() throws { image = try TemporaryFolder() }

  private static let usual = ServicePlaces(
    storeFolder: "/home/anna/.local/share/hrgate", configuration: "/home/anna/.config")

  /// The plan for an image of a machine, which needs no systemd that runs.
  private func control(
    _ places: ServicePlaces = usual, scope: ServiceScope = .system(owner: "anna"),
    home: String = "/home/anna",
    program: String = "/usr/bin/hrgate"
  ) -> ServiceControl {
    ServiceControl(
      scope: scope, owner: ServiceOwner(name: "anna", home: home, number: geteuid(), group: getegid()),
      program: program, places: places, image: image.url.path)
  }

  private func writes(_ steps: [ServiceStep]) -> [String] {
    steps.compactMap { if case .write(let path, _, _) = $0 { path } else { nil } }
  }

  /// All but what runs a program.
  private func perform(_ steps: [ServiceStep]) throws {
    for step in steps {
      if case .run = step { continue }
      try step.perform()
    }
  }

  private func make(_ folder: String) throws {
    try FileManager.default.createDirectory(atPath: image.path(folder), withIntermediateDirectories: true)
  }

  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: image.path(path))[.posixPermissions] as? Int
  }

  @Test func `it writes the unit where nobody brought it, replaces an older one, and leaves a package's`()
    throws
  {
    try make("home/anna")
    let own = image.path("etc/systemd/system/hrgate@.service")
    let steps = try control().enabling()
    #expect(writes(steps) == [own])
    #expect(
      steps.last?.sentence == "runs systemctl --root=\(image.url.path) enable hrgate@anna.service")
    try perform(steps)
    #expect(try writes(control().enabling()).isEmpty)
    #expect(try permissions("etc/systemd/system/hrgate@.service") == 0o644)
    try Data("[Unit]\n".utf8).write(to: URL(filePath: own))
    #expect(chmod(own, 0o600) == 0)
    let replacing = try control().enabling()
    #expect(replacing.contains { $0.sentence == "replaces \(own)" })
    try perform(replacing)
    // Whatever it was: systemd wants nobody to be kept from reading it.
    #expect(try permissions("etc/systemd/system/hrgate@.service") == 0o644)
    try FileManager.default.removeItem(atPath: own)
    try make("usr/lib/systemd/system")
    try Data("[Unit]\n".utf8).write(to: image.url.appending(path: "usr/lib/systemd/system/hrgate@.service"))
    #expect(try writes(control().enabling()).isEmpty)
  }

  // MARK: - What the service sees

  @Test func `in an image the folders that the service sees are made, for the owner alone`() throws {
    try make("home/anna")
    try perform(control().enabling())
    #expect(try permissions("home/anna/.local/share/hrgate") == 0o700)
    #expect(try permissions("home/anna/.config/hrgate") == 0o700)
    // What is there stays as it is.
    #expect(chmod(image.path("home/anna/.config"), 0o755) == 0)
    try perform(control().enabling())
    #expect(try permissions("home/anna/.config") == 0o755)
  }

  @Test func `a home that the image does not have is not made, and no link leads out of it`() throws {
    try make("home")
    // The folder above is another's: nobody but root makes homes.
    var owner = control().owner
    owner.number += 1
    let folder = ImageFolder(image: image.url.path, path: "/home/anna/.config/hrgate", owner: owner)
    #expect(throws: ServiceRefusal.self) { try folder.make() }
    #expect(!FileManager.default.fileExists(atPath: image.path("home/anna")))
    let outside = try TemporaryFolder()
    try make("home/anna")
    try FileManager.default.createSymbolicLink(
      atPath: image.path("home/anna/.local"), withDestinationPath: outside.url.path)
    let refusal = #expect(throws: ServiceRefusal.self) { try perform(control().enabling()) }
    #expect(refusal?.description.contains("/home/anna/.local is a link") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.url.path).isEmpty)
  }

  @Test func `places elsewhere are named in a file of their own, which goes with them`() throws {
    let places = ServicePlaces(
      storeFolder: "/srv/100%/an na/hrgate", configuration: "/home/anna/.config",
      variables: ["XDG_DATA_HOME": "/srv/100%/an na"])
    let place = image.path("etc/systemd/system/hrgate@anna.service.d/home.conf")
    try perform(control(places).enabling().filter { if case .makeFolder = $0 { false } else { true } })
    #expect(
      try String(contentsOfFile: place, encoding: .utf8) == """
        [Service]
        Environment="XDG_DATA_HOME=/srv/100%%/an na"
        BindPaths=
        BindPaths="/srv/100%%/an na/hrgate"
        BindReadOnlyPaths="-/home/anna/.config/hrgate"

        """)
    #expect(try !writes(control(places).enabling()).contains(place))
    #expect(try control().enabling().contains(.remove(path: place)))
    let disabling = try control().disabling()
    #expect(disabling.contains(.remove(path: place)))
    try perform(disabling)
    #expect(!FileManager.default.fileExists(atPath: (place as NSString).deletingLastPathComponent))
    #expect(try !control().disabling().contains(.remove(path: place)))
  }

  @Test(arguments: ["/", "/home", "/home/anna"])
  func `a store without a folder of its own would show the service a home, and is refused`(folder: String)
    throws
  {
    let places = ServicePlaces(storeFolder: folder, configuration: "/home/anna/.config")
    let refusal = #expect(throws: ServiceRefusal.self) { try control(places).enabling() }
    #expect(refusal?.description.contains("hrgate service enable --user") == true)
    // The user's own service sees all of it as it is.
    #expect(throws: Never.self) { try control(places, scope: .user).enabling() }
  }

  @Test(arguments: ["/srv/a\nb", "/srv/'a' \"b\""])
  func `what no unit can name is refused`(folder: String) {
    let places = ServicePlaces(storeFolder: folder, configuration: "/home/anna/.config")
    #expect(throws: ServiceRefusal.self) { try control(places).enabling() }
  }

  @Test(arguments: ["/home/anna/hrgate", "/root/hrgate", "/tmp/x/hrgate"])
  func `a program that the service would not see is refused, with what to do`(program: String) throws {
    let refusal = #expect(throws: ServiceRefusal.self) { try control(program: program).enabling() }
    #expect(refusal?.description.contains("sudo install -m 755 \(program) /usr/local/bin/hrgate") == true)
  }

  // MARK: - How it stands

  @Test func `whether a service is enabled is seen by its link where no manager is there to ask`() throws {
    for (scope, folder) in [
      (ServiceScope.system(owner: "anna"), "etc/systemd/system"), (.user, "home/anna/.config/systemd/user"),
    ] {
      #expect(!control(scope: scope).isEnabled)
      #expect(try control(scope: scope).condition().enablement == "not installed")
      try make(folder + "/bluetooth.target.wants")
      // The unit that it leads to is not looked for in an image.
      try FileManager.default.createSymbolicLink(
        atPath: image.path("\(folder)/bluetooth.target.wants/\(scope.unit)"), withDestinationPath: "/none")
      #expect(control(scope: scope).isEnabled)
      let condition = try control(scope: scope).condition()
      #expect(condition.isEnabled && condition.state == "not running")
    }
  }

  @Test func `the manager of another user who is not logged in is not asked`() {
    let control = ServiceControl(
      scope: .user, owner: ServiceOwner(name: "x", home: "/x", number: 4_000_000_000, group: 1),
      program: "/usr/bin/hrgate", places: Self.usual)
    let refusal = #expect(throws: ServiceRefusal.self) { try control.managerVariables() }
    #expect(refusal?.description.contains("x is not logged in") == true)
    #expect(control.systemctl(["show"]) == ["systemctl", "--user", "--machine=x@.host", "show"])
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
