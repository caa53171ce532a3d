import Bluetooth
import Foundation
import Gateway
import HealthKit
import Testing

@testable import TestSupport

/// Tests the stores of several people, with the commands and with one gateway.
@Suite(.timeLimit(.minutes(30))) struct PeopleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var home: [String: String] {
    [
      "XDG_DATA_HOME": folder.path("data"), "XDG_CONFIG_HOME": folder.path("config"), "HRGATE_PERSON": "",
      "HRGATE_STORE": "",
    ].merging(Command.withoutBus(folder)) { $1 }
  }

  private func hrgate(_ command: String, _ arguments: String...) throws -> CommandResult {
    try Command.hrgate(command, arguments, environment: home)
  }

  private func typing(_ text: String, _ arguments: String...) throws -> CommandResult {
    try Command.hrgate(arguments, typing: text, environment: home)
  }

  private func rates(_ person: String, _ environment: [String: String]) throws -> [Double] {
    let result = try Command.hrgate(
      "samples", ["--person", person, "--type", "heartRate", "--json"], environment: environment)
    return try result.objects().compactMap { $0["value"] as? Double }
  }

  // MARK: - Adding and removing people

  @Test func `each person has a folder that no other user can enter`() throws {
    #expect(try hrgate("people", "list").errors.contains("hrgate people add NAME"))
    #expect(try hrgate("people", "add", "Anna").status == 0)
    #expect(try hrgate("people", "add", "José María").status == 0)
    let objects = try hrgate("people", "list", "--json").objects()
    #expect(objects.map { $0["person"] as? String } == ["Anna", "José María"])
    for (path, mode) in [("", 0o700), ("/Anna", 0o700), ("/Anna/health.sqlite", 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.path("data/hrgate/people\(path)"))
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("data/hrgate/health.sqlite")))
    for taken in ["anna", "ANNA", "Owner"] {
      let result = try hrgate("people", "add", taken)
      #expect(result.status == 1 && !result.errors.isEmpty, "\(taken) \(result)")
    }
    for name in ["..", "a/b", "", " a", ".a", "a\u{200B}b", "a\u{202E}b", "a\nb", "-a"] {
      #expect(try hrgate("people", "add", "--", name).status == 2, "\(name)")
    }
    #expect(try hrgate("people", "list", "--json").objects().count == 2)
  }

  @Test func `the owner can be neither renamed nor removed, and the errors give no useless advice`() throws {
    for arguments in [["people", "remove", "owner", "--yes"], ["people", "rename", "Owner", "x"]] {
      let result = try Command.hrgate(arguments[0], Array(arguments.dropFirst()), environment: home)
      #expect(
        result.status == 1 && result.errors.contains("cannot be added, renamed or removed"), "\(result)")
      #expect(!result.errors.contains("hrgate people add"))
    }
    let named = try hrgate("people", "add", "../x")
    #expect(
      named.status == 2 && named.errors.contains("../x is not a valid name for a person: use at most 64"))
  }

  @Test func `the store is chosen by an option, then the environment, then a file, and by only one of them`()
    throws
  {
    #expect(try hrgate("people", "add", "Anna").status == 0)
    func failure(_ arguments: [String], _ settings: [String: String]) throws -> CommandResult {
      try Command.hrgate("samples", arguments, environment: home.merging(settings) { $1 })
    }
    #expect(try failure(["--person", "anna"], [:]).errors.contains("people/Anna/health.sqlite"))
    #expect(try failure([], ["HRGATE_PERSON": "aNNa"]).errors.contains("people/Anna/health.sqlite"))
    let owners = "no store at \(folder.path("data/hrgate/health.sqlite"))"
    #expect(try failure([], [:]).errors.contains(owners))
    #expect(try failure(["--person", "owner"], ["HRGATE_PERSON": "anna"]).errors.contains(owners))
    let unknown = try failure(["--person", "Bob"], [:])
    #expect(unknown.status == 1 && unknown.errors.contains("hrgate people add \"Bob\""))
    #expect(try failure([], ["HRGATE_PERSON": "Bob"]).errors == unknown.errors)
    #expect(try failure(["--store", "/x", "--person", "anna"], [:]).status == 2)
    let both = ["HRGATE_PERSON": "anna", "HRGATE_STORE": folder.path("s")]
    #expect(try failure([], both).status == 2)
    #expect(try failure(["--store", folder.path("t")], both).errors.contains(folder.path("t")))
    #expect(try failure(["--person", "anna"], both).errors.contains("people/Anna"))
    _ = try FileManager.default.createDirectory(
      atPath: folder.path("config/hrgate"), withIntermediateDirectories: true)
    _ = try folder.file("config/hrgate/config", Array("store = \(folder.path("f"))\n".utf8))
    #expect(try failure([], ["HRGATE_PERSON": "anna"]).errors.contains("people/Anna"))
    #expect(try failure([], ["HRGATE_PERSON": "owner"]).errors.contains(folder.path("f")))
  }

  @Test func `removing a person keeps the store, or deletes it if the name is typed`() throws {
    for name in ["Anna", "Ben"] { #expect(try hrgate("people", "add", name).status == 0) }
    #expect(try typing("n\n", "people", "remove", "anna").status == 1)
    #expect(try typing("", "people", "remove", "anna").status == 1)
    #expect(try hrgate("people", "list", "--json").objects().count == 2)
    let kept = try typing("y\n", "people", "remove", "anna")
    #expect(kept.status == 0, "\(kept)")
    let former = try FileManager.default.contentsOfDirectory(
      atPath: folder.path("data/hrgate/former-people"))
    #expect(former.count == 1 && former.first?.hasPrefix("Anna ") == true)
    #expect(
      FileManager.default.fileExists(
        atPath: folder.path("data/hrgate/former-people/\(former.first ?? "")/health.sqlite")))
    #expect(try typing("ann\n", "people", "remove", "ben", "--delete-data").status == 1)
    #expect(try typing("y\n", "people", "remove", "ben", "--delete-data").status == 1)
    #expect(try typing("Ben\n", "people", "remove", "ben", "--delete-data").status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("data/hrgate/people")) == [])
    #expect(try hrgate("people", "remove", "ben", "--yes").errors.contains("there is no person ben"))
  }

  // MARK: - One gateway

  private func gateway(_ daemon: ScriptedDaemon, bus: String = "none") throws -> RunningGateway {
    let environment = home.merging(daemon.environment) { $1 }
    return try RunningGateway(
      ["run", "--json", "--measurements", "--commit-interval", "0.05", "--bus", bus],
      environment, output: folder.path("run.\(UUID().uuidString).jsonl"))
  }

  /// Lets a strap measure until the gateway has reported the measurement.
  private func measure(
    _ rate: UInt8, on strap: String, _ daemon: ScriptedDaemon, heardBy gateway: RunningGateway,
    of person: String?
  ) async throws {
    try #require(
      try await eventually {
        try daemon.measure([rate], on: strap)
        return try gateway.events().contains {
          $0["event"] as? String == "measurement" && $0["heartRate"] as? Int == Int(rate)
            && $0["person"] as? String == person && $0["monitor"] as? String == strap
        }
      }, "\(rate) of \(person ?? "the owner"): \(gateway.text)")
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `with two people and two straps on one gateway, each store has only its own person's heart rates`()
    async throws
  {
    let (one, two) = (ScriptedDaemon.strap, ScriptedDaemon.otherStrap)
    let daemon = try ScriptedDaemon(straps: [one, two], areHeard: true)
    let environment = home.merging(daemon.environment) { $1 }
    for (name, strap) in [("Anna", one), ("Ben", two)] {
      #expect(try hrgate("people", "add", name).status == 0)
      let pair = try Command.hrgate(
        "pair", [strap, "--person", name, "--json"], environment: environment)
      try #require(pair.status == 0, "\(pair)")
      #expect(try pair.objects().first?["person"] as? String == name)
    }
    let gateway = try gateway(daemon)
    for rate in UInt8(60)...64 {
      try await measure(rate, on: one, daemon, heardBy: gateway, of: "Anna")
      try await measure(rate + 60, on: two, daemon, heardBy: gateway, of: "Ben")
    }
    try gateway.end()
    let annas = try rates("Anna", environment)
    let bens = try rates("Ben", environment)
    #expect(Set(annas) == [60, 61, 62, 63, 64] && Set(bens) == [120, 121, 122, 123, 124])
    #expect(try rates("owner", environment).isEmpty)
    let events = try gateway.events()
    let ends = events.filter { $0["event"] as? String == "end" }
    #expect(Set(ends.map { $0["person"] as? String }) == ["Anna", "Ben", nil] && ends.count == 3)
    #expect(ends.last?["person"] == nil && events.last?["event"] as? String == "end")
    for (name, strap, rates) in [("Anna", one, annas), ("Ben", two, bens)] {
      let end = ends.first { $0["person"] as? String == name }
      #expect(
        (end?["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] == rates.count, "\(name)")
      let sources = try hrgate("sources", "list", "--person", name, "--json").objects()
      #expect(sources.map { $0["bundleIdentifier"] as? String } == ["org.hrgate.monitor.\(strap)"])
      let stats = try hrgate("stats", "--person", name, "--json").objects()
      #expect(stats.first?["min"] as? Double == rates.min(), "\(stats)")
      #expect(stats.last?["max"] as? Double == rates.max(), "\(stats)")
      // Each person has only the gaps of their own strap.
      let gaps = try hrgate("monitors", "gaps", "--person", name, "--json").objects()
      #expect(Set(gaps.map { $0["monitor"] as? String }) == [strap])
    }
  }

  /// Adds Anna and Ben, each with a strap.
  private func annaAndBen() throws -> ScriptedDaemon {
    let straps = [("Anna", ScriptedDaemon.strap), ("Ben", ScriptedDaemon.otherStrap)]
    let daemon = try ScriptedDaemon(straps: straps.map(\.1), areHeard: true)
    for (name, strap) in straps {
      #expect(try hrgate("people", "add", name).status == 0)
      let pair = try Command.hrgate(
        "pair", [strap, "--person", name], environment: home.merging(daemon.environment) { $1 })
      try #require(pair.status == 0, "\(pair)")
    }
    return daemon
  }

  // MARK: - Destinations

  /// Adds a folder as a destination of a person. All destinations have the same name.
  private func addDestination(of person: String) throws -> String {
    let place = folder.path("carried.\(person)")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let added = try hrgate("sync", "add", "files", "file://\(place)?format=ndjson", "--person", person)
    try #require(added.status == 0, "\(added)")
    return place
  }

  /// Returns the UUIDs of the samples in a folder.
  private func carried(to place: String) throws -> Set<String> {
    let files = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
    let texts = files.filter { $0.hasSuffix(".ndjson") }.compactMap {
      FileManager.default.contents(atPath: "\(place)/\($0)").map { String(decoding: $0, as: UTF8.self) }
    }
    let lines = try texts.flatMap { $0.split(separator: "\n") }.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    return Set(lines.compactMap { $0["uuid"] as? String })
  }

  private func stored(of person: String) throws -> Set<String> {
    Set(try hrgate("samples", "--person", person, "--json").objects().compactMap { $0["uuid"] as? String })
  }

  @Test func `the sync command sends each person's store to that person's destination`() throws {
    var places: [String: String] = [:]
    for (seed, person) in ["owner", "Anna", "Ben"].enumerated() {
      if person != "owner" { #expect(try hrgate("people", "add", person).status == 0) }
      let log = folder.path("\(person).btsnoop")
      #expect(try hrgate("simulate", "--seed", "\(seed + 1)", "--duration", "60s", "-o", log).status == 0)
      let replay = try hrgate("replay", log, "--person", person)
      try #require(replay.status == 0, "\(replay)")
      places[person] = try addDestination(of: person)
    }
    #expect(try hrgate("sync", "run", "--once", "--person", "Anna").status == 0)
    let (annas, bens) = (try stored(of: "Anna"), try stored(of: "Ben"))
    #expect(annas.count > 50 && annas.isDisjoint(with: bens))
    #expect(try carried(to: places["Anna"] ?? "") == annas)
    // Samples of the others are neither sent nor marked as sent.
    #expect(try carried(to: places["Ben"] ?? "").isEmpty && carried(to: places["owner"] ?? "").isEmpty)
    func pending(_ person: String) throws -> Int? {
      try hrgate("sync", "status", "--person", person, "--json").objects().first?["pending"] as? Int
    }
    #expect(try pending("Anna") == 0 && pending("Ben") == bens.count)
    for person in ["Ben", "owner"] {
      #expect(try hrgate("sync", "run", "--once", "--person", person).status == 0)
      #expect(try carried(to: places[person] ?? "") == stored(of: person), "\(person)")
    }
    #expect(try carried(to: places["Anna"] ?? "") == annas)
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `a gateway sends each person's store to that person's destination`() async throws {
    let daemon = try annaAndBen()
    let places = [("Anna", try addDestination(of: "Anna")), ("Ben", try addDestination(of: "Ben"))]
    let metrics = folder.path("hrgate.prom")
    let gateway = try RunningGateway(
      [
        "run", "--json", "--measurements", "--commit-interval", "0.05", "--bus", "none", "--metrics", metrics,
      ],
      home.merging(daemon.environment) { $1 }, output: folder.path("run.jsonl"))
    for rate in UInt8(60)...64 {
      try await measure(rate, on: ScriptedDaemon.strap, daemon, heardBy: gateway, of: "Anna")
      try await measure(rate + 60, on: ScriptedDaemon.otherStrap, daemon, heardBy: gateway, of: "Ben")
    }
    #expect(try await eventually { try places.allSatisfy { try carried(to: $0.1).count >= 5 } })
    try gateway.end()
    let last = try Exposition(String(contentsOfFile: metrics, encoding: .utf8))
    #expect(last.sum("hrgate_running") == 0)
    for (person, place) in places {
      let mine = try carried(to: place)
      let all = try stored(of: person)
      // The last commits may not be sent yet.
      #expect(mine.isSubset(of: all) && mine.count >= 5, "\(person)")
      #expect(last.sum("hrgate_frames_total", ["person": person]) >= 5, "\(person)")
      let parts = ["sent_total", "refused", "waiting"].map {
        last.sum("hrgate_sync_\($0)", ["person": person, "destination": "files"])
      }
      #expect(parts.reduce(0, +) == Double(all.count), "\(person) \(parts)")
      #expect(parts[0] == Double(mine.count))
    }
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `the status names the person of each monitor, as JSON and as text`() async throws {
    let daemon = try annaAndBen()
    var environment = home.merging(daemon.environment) { $1 }
    let gateway = try gateway(daemon, bus: "system")
    try await measure(60, on: ScriptedDaemon.strap, daemon, heardBy: gateway, of: "Anna")
    try await measure(120, on: ScriptedDaemon.otherStrap, daemon, heardBy: gateway, of: "Ben")
    environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(folder.path("none"))"
    func monitors() throws -> [[String: Any]] {
      let status = try Command.hrgate("status", ["--json"], environment: environment)
      return try status.objects().first?["monitors"] as? [[String: Any]] ?? []
    }
    #expect(try await eventually { try monitors().count { $0["heartRate"] != nil } == 2 })
    let shown = try monitors()
    #expect(shown.map { $0["person"] as? String } == ["Anna", "Ben"], "\(shown)")
    #expect(shown.map { $0["heartRate"] as? Int } == [60, 120], "\(shown)")
    let lines = try Command.hrgate("status", [], environment: environment).lines
    for (name, strap) in [("Anna", ScriptedDaemon.strap), ("Ben", ScriptedDaemon.otherStrap)] {
      let line = lines.first { $0.hasPrefix(strap) }
      #expect(line?.split(separator: " ").contains { $0 == name } == true, "\(lines)")
    }
    // The status of one person, chosen by an option or by the environment. An unknown person is an error.
    for (arguments, person) in [(["--person", "anna"], ""), ([], "ANNA")] {
      let settings = environment.merging(["HRGATE_PERSON": person]) { $1 }
      let hers = try Command.hrgate("status", arguments + ["--json"], environment: settings).objects().first
      let addresses = (hers?["monitors"] as? [[String: Any]])?.map { $0["address"] as? String }
      #expect(addresses == [ScriptedDaemon.strap] && hers?["person"] as? String == "Anna", "\(hers ?? [:])")
      #expect(hers?["measurements"] == nil && hers?["stored"] == nil)
      let text = try Command.hrgate("status", arguments, environment: settings)
      #expect(text.lines.dropFirst().first == "Anna: 1 monitor" && text.lines.count >= 3, "\(text)")
    }
    let owners = try Command.hrgate("status", ["--person", "owner", "--json"], environment: environment)
    #expect((try owners.objects().first?["monitors"] as? [Any])?.isEmpty == true, "\(owners)")
    let unknown = try Command.hrgate("status", ["--person", "carl"], environment: environment)
    #expect(unknown.status == 1 && unknown.errors.contains("hrgate people add \"carl\""), "\(unknown)")
    try gateway.end()
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `the doctor checks each person's store and straps and names the person`() throws {
    let daemon = try annaAndBen()
    let environment = home.merging(daemon.environment) { $1 }
    func findings(_ arguments: [String] = []) throws -> [[String: Any]] {
      try Command.hrgate("doctor", arguments + ["--json"], environment: environment).objects()
    }
    func subjects(_ check: String, _ findings: [[String: Any]]) -> Set<String?> {
      Set(findings.filter { $0["check"] as? String == check }.map { $0["subject"] as? String })
    }
    let sound = try findings()
    #expect(subjects("store", sound) == ["Anna", "Ben"])
    #expect(subjects("last-seen", sound) == ["Strap (Anna)", "Strap (Ben)"])
    let hers = try findings(["--person", "anna"])
    #expect(subjects("store", hers) == ["Anna"] && subjects("last-seen", hers) == ["Strap"])
    try Data(repeating: 7, count: 8192).write(
      to: URL(filePath: folder.path("data/hrgate/people/Ben/health.sqlite")))
    let bad = try findings().filter {
      $0["check"] as? String == "store" && $0["verdict"] as? String == "fail"
    }
    #expect(bad.map { $0["subject"] as? String } == ["Ben"] && bad.first?["advice"] != nil, "\(bad)")
  }

  @Test func `if the people cannot be read, each command says so and does not assume that there are none`()
    throws
  {
    try FileManager.default.createDirectory(
      atPath: folder.path("data/hrgate"), withIntermediateDirectories: true)
    // A file in place of the folder cannot be read by any user, not even by root.
    _ = try folder.file("data/hrgate/people", [])
    let reason = "read \(folder.path("data/hrgate/people")): Not a directory"
    for arguments in [
      ["people", "list"], ["people", "add", "Anna"], ["run", "--wait"], ["doctor"],
      ["samples", "--person", "anna"],
    ] {
      let result = try Command.hrgate(arguments[0], Array(arguments.dropFirst()), environment: home)
      #expect(result.status == 1 && result.errors == "hrgate: \(reason)\n", "\(arguments): \(result)")
    }
  }

  @Test func `the person setting has its origin, and an invalid name is rejected`() throws {
    func person(_ settings: [String: String]) throws -> (value: String?, origin: String?) {
      let objects = try Command.hrgate(
        "config", ["--json"], environment: home.merging(settings) { $1 }
      ).objects()
      let line = objects.first { $0["name"] as? String == "person" }
      return (line?["value"] as? String, line?["origin"] as? String)
    }
    #expect(try person([:]) == (nil, "default"))
    #expect(try person(["HRGATE_PERSON": "anna"]) == ("anna", "HRGATE_PERSON"))
    try FileManager.default.createDirectory(
      atPath: folder.path("config/hrgate"), withIntermediateDirectories: true)
    let file = try folder.file("config/hrgate/config", Array("\nperson = Ben\n".utf8))
    #expect(try person([:]) == ("Ben", "\(file):2"))
    #expect(try person(["HRGATE_PERSON": "anna"]) == ("anna", "HRGATE_PERSON"))
    for name in ["a/b", "..", "."] {
      let result = try Command.hrgate("config", [], environment: home.merging(["HRGATE_PERSON": name]) { $1 })
      #expect(
        result.status == 2
          && result.errors
            == "hrgate: HRGATE_PERSON: the value must be owner or a person's name (see hrgate people)\n"
      )
    }
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `a strap that moves to another person while the gateway runs leaves its samples behind`()
    async throws
  {
    let strap = ScriptedDaemon.strap
    let daemon = try ScriptedDaemon(areHeard: true)
    let environment = home.merging(daemon.environment) { $1 }
    for name in ["Anna", "Ben"] { #expect(try hrgate("people", "add", name).status == 0) }
    func pair(_ arguments: String...) throws -> CommandResult {
      try Command.hrgate("pair", [strap] + arguments, environment: environment)
    }
    try #require(try pair("--person", "anna").status == 0)
    let set = ["monitors", "set", strap, "--person", "anna", "--sensor-contact", "ignore"]
    #expect(try Command.hrgate(set, environment: environment).status == 0)
    let gateway = try gateway(daemon)
    try await measure(60, on: strap, daemon, heardBy: gateway, of: "Anna")
    // Pairing Anna's strap again without naming a person leaves it to her.
    let again = try pair()
    #expect(
      again.status == 0 && again.errors.contains("belongs to Anna and keeps recording for them"), "\(again)")
    try await measure(61, on: strap, daemon, heardBy: gateway, of: "Anna")
    let moved = try pair("--person", "ben")
    #expect(moved.status == 0 && moved.errors.contains("belonged to Anna until now"), "\(moved)")
    // The settings belong to the strap, so Ben gets them with it.
    let bens = try hrgate("monitors", "list", "--person", "ben", "--json").objects()
    #expect(bens.first?["sensorContact"] as? String == "ignore", "\(bens)")
    // Frames that arrive before the gateway notices that the strap is Ben's still belong to Anna.
    try await measure(122, on: strap, daemon, heardBy: gateway, of: "Ben")
    try await measure(123, on: strap, daemon, heardBy: gateway, of: "Ben")
    let forgotten = try Command.hrgate("forget", [strap], environment: environment)
    #expect(forgotten.status == 1 && forgotten.errors.contains("--person Ben"), "\(forgotten)")
    #expect(try pair("--person", "owner").status == 0)
    try await measure(184, on: strap, daemon, heardBy: gateway, of: nil)
    try gateway.end()
    #expect(try Set(rates("Anna", environment)).subtracting([122]) == [60, 61])
    #expect(try Set(rates("Ben", environment)).subtracting([184]) == [122, 123])
    #expect(try Set(rates("owner", environment)) == [184])
    for name in ["Anna", "Ben"] {
      #expect(try hrgate("monitors", "list", "--person", name, "--json").objects().isEmpty)
    }
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `people added, renamed or removed while a gateway runs are followed or dropped`() async throws {
    let (one, two) = (ScriptedDaemon.strap, ScriptedDaemon.otherStrap)
    let daemon = try ScriptedDaemon(straps: [one, two], areHeard: true)
    let environment = home.merging(daemon.environment) { $1 }
    func pair(_ strap: String, _ person: String) throws {
      let result = try Command.hrgate("pair", [strap, "--person", person], environment: environment)
      try #require(result.status == 0, "\(result)")
    }
    try pair(two, "owner")
    let gateway = try gateway(daemon)
    try await measure(120, on: two, daemon, heardBy: gateway, of: nil)
    #expect(try hrgate("people", "add", "Anna").status == 0)
    try pair(one, "anna")
    try await measure(60, on: one, daemon, heardBy: gateway, of: "Anna")
    let renamed = try hrgate("people", "rename", "anna", "Anna Maria")
    #expect(renamed.status == 0, "\(renamed)")
    try await measure(61, on: one, daemon, heardBy: gateway, of: "Anna Maria")
    try await measure(121, on: two, daemon, heardBy: gateway, of: nil)
    let removed = try typing("Anna Maria\n", "people", "remove", "Anna Maria", "--delete-data")
    #expect(removed.status == 0 && removed.errors.contains("\(one) is no longer recorded"), "\(removed)")
    try await measure(122, on: two, daemon, heardBy: gateway, of: nil)
    try gateway.end()
    #expect(try Set(rates("owner", environment)) == [120, 121, 122])
    let ends = try gateway.events().filter { $0["event"] as? String == "end" }
    #expect(ends.map { $0["person"] as? String } == ["Anna", "Anna Maria", nil])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("data/hrgate/people")) == [])
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `a damaged store does not stop the others, and is reported`() async throws {
    let daemon = try ScriptedDaemon(areHeard: true)
    let environment = home.merging(daemon.environment) { $1 }
    for name in ["Anna", "Ben"] { #expect(try hrgate("people", "add", name).status == 0) }
    _ = try Command.hrgate("pair", [ScriptedDaemon.strap, "--person", "anna"], environment: environment)
    try Data(repeating: 7, count: 8192).write(
      to: URL(filePath: folder.path("data/hrgate/people/Ben/health.sqlite")))
    let gateway = try gateway(daemon)
    try await measure(60, on: ScriptedDaemon.strap, daemon, heardBy: gateway, of: "Anna")
    #expect(
      try await eventually {
        try gateway.events().contains {
          $0["event"] as? String == "refused" && $0["person"] as? String == "Ben"
        }
      })
    try gateway.end()
    #expect(try Set(rates("Anna", environment)) == [60])
    let list = try hrgate("people", "list", "--json").objects()
    #expect(list.count == 2 && list.last?["failure"] != nil)
  }
  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `a damaged owner's store does not stop the others, and ends the run if there are none`()
    async throws
  {
    let daemon = try ScriptedDaemon(areHeard: true)
    let environment = home.merging(daemon.environment) { $1 }
    #expect(try hrgate("people", "add", "Anna").status == 0)
    let store = folder.path("data/hrgate/health.sqlite")
    try Data(repeating: 7, count: 8192).write(to: URL(filePath: store))
    let alone = try Command.hrgate("run", ["--wait", "--bus", "none"], environment: environment)
    #expect(alone.status == 65 && alone.errors.contains("is not a health store"), "\(alone)")
    let pair = try Command.hrgate(
      "pair", [ScriptedDaemon.strap, "--person", "anna", "--no-bond"], environment: environment)
    // It is unknown whether the owner has the strap.
    #expect(pair.status == 1 && pair.errors.contains("the owner's store cannot be read"), "\(pair)")
    try await MonitorRegistry(HKHealthStore(storeAt: folder.path("data/hrgate/people/Anna/health.sqlite")))
      .enrol(
        EnrolledMonitor(
          address: try #require(BluetoothAddress(ScriptedDaemon.strap, kind: .random)), isBonded: false,
          enrolled: ReceiptTime(microsecondsSince1970: 1_700_000_000_000_000)))
    let gateway = try gateway(daemon)
    try await measure(60, on: ScriptedDaemon.strap, daemon, heardBy: gateway, of: "Anna")
    #expect(
      try gateway.events().contains { $0["event"] as? String == "refused" && $0["person"] == nil })
    try FileManager.default.removeItem(atPath: store)
    #expect(
      try await eventually {
        try gateway.events().contains { $0["event"] as? String == "start" && $0["person"] == nil }
      })
    try gateway.end()
    let ends = try gateway.events().filter { $0["event"] as? String == "end" }
    #expect(ends.map { $0["person"] as? String } == ["Anna", nil])
    #expect(try Set(rates("Anna", environment)) == [60])
  }
}
