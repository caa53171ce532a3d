import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion
import StrapSimulator
import Testing

@testable import TestSupport

/// Tests replaying a recording of several people's straps: no store gets another person's heart rates.
@Suite(.timeLimit(.minutes(30))) struct RecordedPeopleTests {
  /// Default start of a simulation, in seconds since 1970.
  private static let start: Int64 = 1_767_261_600

  private let folder: TemporaryFolder
  private let log: String
  private let straps = (0..<3).map(StrapProfile.sample(index:))

  private var home: [String: String] {
    [
      "XDG_DATA_HOME": folder.path("data"), "XDG_CONFIG_HOME": folder.path("config"), "HRGATE_PERSON": "",
      "HRGATE_STORE": "",
    ]
  }

  /// Simulates three straps and adds Anna and Ben.
  init() throws {
    folder = try TemporaryFolder()
    log = folder.path("gym.btsnoop")
    _ = try Command.hrgate("simulate", "--straps", "3", "--duration", "10m", "--seed", "5", "-o", log)
    for name in ["Anna", "Ben"] { #expect(try hrgate("people", "add", name).status == 0) }
  }

  private func hrgate(_ command: String, _ arguments: String...) throws -> CommandResult {
    try Command.hrgate(command, arguments, environment: home)
  }

  private func registry(_ person: String?) throws -> MonitorRegistry {
    let place = person.map { "/people/\($0)" } ?? ""
    return try MonitorRegistry(HKHealthStore(storeAt: folder.path("data/hrgate\(place)/health.sqlite")))
  }

  private func enrol(_ strap: Int, for person: String?, afterSeconds seconds: Int64 = 0) async throws {
    try await registry(person).enrol(
      EnrolledMonitor(
        address: straps[strap].address, isBonded: false,
        enrolled: ReceiptTime(microsecondsSince1970: (Self.start + seconds) * 1_000_000)))
  }

  /// Returns the number of heart rates of each strap in a store.
  private func rates(_ person: String) throws -> [Int] {
    let objects = try hrgate("samples", "--person", person, "--type", "heartRate", "--json").objects()
    let sources = objects.map { ($0["source"] as? [String: String])?["name"] }
    return straps.map { strap in sources.count { $0 == strap.name } }
  }

  private struct Account: Equatable {
    var measurements: Int
    var rejected: [String: Int]
    var people: [String: String]
    var leftOut: [String: Int]
  }

  private func account(_ result: CommandResult) throws -> Account {
    let object = try #require(try result.objects().first)
    let stored = (object["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] ?? 0
    let measurements = try #require(object["measurements"] as? Int)
    let rejected = object["rejected"] as? [String: Int] ?? [:]
    #expect(measurements == stored + (object["duplicates"] as? Int ?? 0) + rejected.values.reduce(0, +))
    let monitors = try #require(object["monitors"] as? [[String: Any]])
    #expect(monitors.compactMap { $0["measurements"] as? Int }.reduce(0, +) == measurements)
    func named<Value>(_ key: String) -> [String: Value] {
      Dictionary(
        monitors.compactMap { monitor in
          (monitor["name"] as? String).flatMap { name in (monitor[key] as? Value).map { (name, $0) } }
        }, uniquingKeysWith: { first, _ in first })
    }
    return Account(
      measurements: measurements, rejected: rejected, people: named("person"), leftOut: named("leftOut"))
  }

  @Test func `each strap's measurements go into the store of its person`() async throws {
    try await enrol(0, for: "Anna")
    try await enrol(1, for: nil)
    let dry = try account(hrgate("replay", log, "--dry-run", "--json"))
    #expect(try rates("Anna") == [0, 0, 0])
    let result = try hrgate("replay", log, "--json")
    let account = try account(result)
    #expect(result.status == 0 && account == dry, "\(result)")
    #expect(account.people == [straps[0].name: "Anna"] && account.leftOut.isEmpty)
    let (annas, owners) = (try rates("Anna"), try rates("owner"))
    #expect(annas[0] > 400 && annas[1...] == [0, 0], "\(annas)")
    #expect(owners[0] == 0 && owners[1] > 400 && owners[2] > 400, "\(owners)")
    #expect(annas[0] + owners[1] + owners[2] + account.rejected.values.reduce(0, +) == account.measurements)
    #expect(try hrgate("replay", log).output.contains("(\(straps[0].address)), Anna's: "))
  }

  @Test
  func `with --person, frames of others' straps are skipped, and the command to store them is printed`()
    async throws
  {
    try await enrol(0, for: "Anna")
    try await enrol(1, for: nil)
    let result = try hrgate("replay", log, "--person", "ben", "--json")
    let account = try account(result)
    #expect(result.status == 0 && account.people == [straps[0].name: "Anna", straps[2].name: "Ben"])
    #expect(account.leftOut.keys.sorted() == straps[0...1].map(\.name))
    #expect(account.rejected["otherPerson"] == account.leftOut.values.reduce(0, +))
    let bens = try rates("Ben")
    #expect(bens[...1] == [0, 0] && bens[2] > 400, "\(bens)")
    for (strap, holder, word) in [(0, "Anna", "Anna"), (1, "the owner", "owner")] {
      let (name, address) = (straps[strap].name, straps[strap].address)
      let count = try #require(account.leftOut[name])
      #expect(
        result.errors.contains(
          "\(log): \(count) measurements of \(name) (\(address)) are left out, because "
            + "the monitor belongs to \(holder); store them with: "
            + "hrgate replay '\(log)' --person \(word) --monitor \(address)\n"),
        "\(result.errors)")
      let result = try hrgate("replay", log, "--person", word, "--monitor", "\(address)", "--json")
      let other = try self.account(result)
      #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
      #expect(other.leftOut.count == 2 && other.leftOut[name] == nil)
      #expect(other.rejected["otherMonitor"] == other.leftOut.values.reduce(0, +))
      // Only the strap that the option --monitor names goes into this person's store.
      let rates = try rates(word)
      #expect(rates.indices.filter { rates[$0] > 0 } == [strap], "\(rates)")
    }
    // Replaying into a given file stores all straps, because the file belongs to no person.
    let whole = try self.account(hrgate("replay", log, "--store", folder.path("all.sqlite"), "--json"))
    #expect(whole.leftOut.isEmpty && whole.people.isEmpty)
  }

  @Test func `measurements from before a strap changed hands are skipped until a person is named`()
    async throws
  {
    try await enrol(0, for: "Ben", afterSeconds: 300)
    let before = MonitorGapRecord(
      monitor: AddressRecord(straps[0].address), start: Self.start * 1_000_000,
      end: Self.start * 1_000_000 + 1, cause: "link-loss", lost: nil)
    _ = try await HKHealthStore(storeAt: folder.path("data/hrgate/people/Anna/health.sqlite"))
      .saveReporting([], with: MonitorChangesRecord(gaps: [before]))
    let result = try hrgate("replay", log, "--json")
    let account = try account(result)
    let leftOut = try #require(account.leftOut[straps[0].name])
    #expect(account.rejected["unknownPerson"] == leftOut && leftOut > 200, "\(account)")
    #expect(
      result.errors.contains(
        "belonged to another person before it belonged to Ben; store them for a person with: "
          + "hrgate replay '\(log)' --person NAME --monitor \(straps[0].address)"), "\(result)")
    let bens = try rates("Ben")
    #expect(bens[0] > 200 && bens[1...] == [0, 0], "\(bens)")
    #expect(try rates("Anna") == [0, 0, 0] && rates("owner")[0] == 0)
    let hers = try self.account(hrgate("replay", log, "--person", "anna", "--json"))
    #expect(hers.rejected["otherPerson"] == hers.leftOut[straps[0].name])
    #expect(try rates("Anna")[0] > 200)
  }

  @Test func `if the person of a strap cannot be read, nothing is stored until a person is named`()
    async throws
  {
    try await enrol(1, for: nil)
    try Data(repeating: 7, count: 8192).write(
      to: URL(filePath: folder.path("data/hrgate/people/Ben/health.sqlite")))
    let result = try hrgate("replay", log)
    #expect(result.status == 1 && result.errors.contains("Ben's data cannot be read"), "\(result)")
    #expect(try rates("owner") == [0, 0, 0])
    let dry = try hrgate("replay", log, "--dry-run")
    #expect(dry.status == 0 && dry.errors.contains("Ben's data cannot be read"), "\(dry)")
    let named = try hrgate("replay", log, "--person", "owner")
    #expect(named.status == 0 && named.errors.contains("Ben's data cannot be read"), "\(named)")
    #expect(try rates("owner")[1] > 400)
  }

  @Test func `a dry run leaves every store unchanged, even an older or damaged one`() async throws {
    try await enrol(0, for: "Anna")
    let annas = folder.path("data/hrgate/people/Anna/health.sqlite")
    // Make the store look like one of the previous version by removing its last migration.
    let last = "(SELECT max(CAST(identifier AS INTEGER)) FROM grdb_migrations)"
    try StoreLock.execute("DELETE FROM grdb_migrations WHERE identifier = \(last)", in: annas)
    let damaged = Data(repeating: 7, count: 8192)
    let owners = URL(filePath: folder.path("data/hrgate/health.sqlite"))
    try damaged.write(to: owners)
    let result = try hrgate("replay", log, "--dry-run", "--json")
    #expect(result.status == 0 && result.errors.contains("the owner's data cannot be read"), "\(result)")
    #expect(try account(result).people == [straps[0].name: "Anna"])
    #expect(try Data(contentsOf: owners) == damaged)
    guard case .older = StoreCondition(ofStoreAt: annas).state else {
      Issue.record("it was brought up to date")
      return
    }
  }
}
