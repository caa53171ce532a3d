import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthStorage
import PacketLog
import Testing

@testable import TestSupport

@Suite struct MonitorsTests {
  private let folder: TemporaryFolder
  private let path: String
  private let store: HKHealthStore
  private let registry: MonitorRegistry

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    store = try HKHealthStore(storeAt: path)
    registry = try MonitorRegistry(store)
  }

  private func enrol() async throws {
    var strap = EnrolledMonitor(
      address: try #require(BluetoothAddress("C0:FF:EE:00:00:01", kind: .random)), name: "Strap\u{1B}[2J",
      isBonded: true, enrolled: ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000))
    strap.deviceInformation[.firmwareRevisionString] = "1.2"
    strap.sensorLocation = .chest
    strap.battery = 90
    strap.lastSeen = ReceiptTime(microsecondsSince1970: 1_800_000_001_500_000)
    strap.adapter = BluetoothAddress("00:11:22:33:44:55", kind: .publicDevice)
    strap.state = MonitorState(rawValue: "following")
    try await registry.enrol(strap)
    try await registry.enrol(
      EnrolledMonitor(
        address: try #require(BluetoothAddress("00:00:00:00:00:02", kind: .publicDevice)), isBonded: false,
        enrolled: ReceiptTime(microsecondsSince1970: 1_800_000_002_000_000)))
  }

  private func gap(_ address: String, _ kind: Int, _ start: Int64, _ end: Int64?, _ lost: Int? = nil)
    -> MonitorGapRecord
  {
    MonitorGapRecord(
      monitor: AddressRecord(text: address, kind: kind), start: start, end: end, cause: "link-loss",
      lost: lost)
  }

  @Test func `JSON has all known properties of the monitors`() async throws {
    try await enrol()
    try await registry.becomeGateway()
    let objects = try Command.hrgate("monitors", "--store", path, "--json").objects()
    #expect(objects.count == 2)
    #expect(
      objects[0] as NSDictionary == [
        "address": "C0:FF:EE:00:00:01", "addressType": "random", "name": "Strap\u{1B}[2J", "firmware": "1.2",
        "location": "chest", "battery": 90, "bonded": true, "enrolled": "2027-01-15T08:00:00.000000Z",
        "lastSeen": "2027-01-15T08:00:01.500000Z", "adapter": "00:11:22:33:44:55",
        "state": "following",
      ])
    #expect(
      objects[1] as NSDictionary == [
        "address": "00:00:00:00:00:02", "addressType": "public", "bonded": false,
        "enrolled": "2027-01-15T08:00:02.000000Z",
      ])
  }

  @Test(arguments: [("away", false), ("stopped", false), ("stopped", true)])
  func `the stored state of a monitor is printed`(state: String, isBonded: Bool) async throws {
    try await enrol()
    try await registry.becomeGateway()
    #expect(
      try await registry.updateStatus(
        of: try #require(BluetoothAddress("C0:FF:EE:00:00:01", kind: .random)),
        adapter: BluetoothAddress("00:1B:DC:0A:0B:01", kind: .publicDevice), isBonded: isBonded,
        state: MonitorState(rawValue: state)))
    let strap = try #require(try Command.hrgate("monitors", "--store", path, "--json").objects().first)
    let shown: NSDictionary = [
      "state": strap["state"] ?? "", "bonded": strap["bonded"] ?? "", "adapter": strap["adapter"] ?? "",
    ]
    #expect(shown == ["state": state, "bonded": isBonded, "adapter": "00:1B:DC:0A:0B:01"])
  }

  @Test func `monitors are printed as a table, and no name moves the cursor`() async throws {
    let none = try Command.hrgate("monitors", "--store", path)
    #expect(none.status == 1 && none.output.isEmpty && none.errors.contains("pair a monitor (hrgate pair)"))
    try await enrol()
    try await registry.becomeGateway()
    #expect(
      try Command.hrgate("monitors", "--store", path).lines == [
        #"NAME            ADDRESS            LOCATION  BATTERY  FIRMWARE  LAST SEEN                    BOND      STATE"#,
        #"Strap\u{1B}[2J  C0:FF:EE:00:00:01  chest     90 %     1.2       2027-01-15T08:00:01.500000Z  bonded    following"#,
        #"-               00:00:00:00:00:02  -         -        -         never                        unbonded  -"#,
      ])
  }

  @Test func `without a gateway no monitor is followed, whatever state is stored`() async throws {
    try await enrol()
    let states = try Command.hrgate("monitors", "--store", path, "--json").objects().map {
      $0["state"] as? String
    }
    #expect(states == ["stopped", nil])
  }

  @Test func `a second gateway on a store reports the process of the first, and ends`() async throws {
    try await registry.becomeGateway()
    // The environment has no D-Bus, so that a gateway that wrongly started would fail with another error.
    let second = try Command.hrgate(
      "run", "--store", path, environment: Command.withoutBus(folder))
    #expect(second.status == 1)
    #expect(second.errors.contains("a gateway (process \(getpid())) runs on this store already"))
  }

  @Test func `gaps are filtered by monitor and count`() async throws {
    _ = try await store.saveReporting(
      [],
      with: MonitorChangesRecord(gaps: [
        gap("C0:FF:EE:00:00:01", 1, 1_800_000_000_000_000, 1_800_000_000_250_000, 7),
        gap("C0:FF:EE:00:00:01", 0, 1_800_000_001_000_000, 1_800_000_002_000_000),
        gap("C0:FF:EE:00:00:02", 1, 1_800_000_003_000_000, nil),
      ]))
    try await enrol()
    let all = try Command.hrgate("monitors", "gaps", "--store", path, "--json")
    #expect(
      all.lines.first
        == #"{"cause":"link-loss","duration":0.25,"end":"2027-01-15T08:00:00.250000Z","lost":7,"monitor":"C0:FF:EE:00:00:01","name":"Strap\u001b[2J","start":"2027-01-15T08:00:00.000000Z"}"#
    )
    #expect(
      all.lines.last
        == #"{"cause":"link-loss","duration":null,"end":null,"lost":null,"monitor":"C0:FF:EE:00:00:02","name":null,"start":"2027-01-15T08:00:03.000000Z"}"#
    )
    #expect(all.lines.count == 3)
    func lines(_ arguments: String...) throws -> [String] {
      try Command.hrgate(["monitors", "gaps", "--store", path] + arguments).lines
    }
    #expect(
      try lines("--monitor", "c0:ff:ee:00:00:01") == [
        #"NAME            ADDRESS            START                        END                          DURATION  CAUSE      LOST"#,
        #"Strap\u{1B}[2J  C0:FF:EE:00:00:01  2027-01-15T08:00:00.000000Z  2027-01-15T08:00:00.250000Z    0.25 s  link-loss     7"#,
        #"-               C0:FF:EE:00:00:01  2027-01-15T08:00:01.000000Z  2027-01-15T08:00:02.000000Z       1 s  link-loss     -"#,
      ])
    #expect(
      try lines("--last", "1").last
        == "-     C0:FF:EE:00:00:02  2027-01-15T08:00:03.000000Z  until now         -  link-loss     -")
    #expect(try lines("--last", "1", "--monitor", "C0:FF:EE:00:00:01").count == 2)
    #expect(try lines("--monitor", "C0:FF:EE:00:00:09").isEmpty)
    // The name matches without regard to case. It selects the enrolled monitor, and not another one of the
    // same address.
    #expect(try lines("--monitor", "sTRAP\u{1B}[2j").count == 2)
  }

  @Test func `times with a clock that was ahead are printed after the gaps`() async throws {
    var day = ClockSettingRecord(id: 1, boot: "b", origin: 0, start: 1_800_000_000_000_000)
    day.end = 1_800_000_060_000_000
    day.ahead = 86_400_000_000
    _ = try await store.saveReporting(
      [], with: MonitorChangesRecord(clock: ClockChangesRecord(settings: [day])))
    #expect(
      try Command.hrgate("monitors", "gaps", "--store", path, "--json").lines == [
        #"{"atLeast":false,"clockAhead":86400,"end":"2027-01-15T08:01:00.000000Z","start":"2027-01-15T08:00:00.000000Z"}"#
      ])
    #expect(
      try Command.hrgate("monitors", "gaps", "--store", path).lines.first?.hasPrefix(
        "the clock was 86400 s ahead  2027-01-15T08:00:00.000000Z  2027-01-15T08:01:00.000000Z") == true)
  }

  @Test func `a replay prints the gaps of the log, each once`() throws {
    let log = folder.path("strap.btsnoop")
    _ = try Command.hrgate("simulate", "--straps", "3", "--duration", "2h", "--seed", "4", "-o", log)
    var gaps: [[String: Any]] = []
    for _ in 0..<2 {
      #expect(try Command.hrgate("replay", log, "--store", path).status == 0)
      gaps = try Command.hrgate("monitors", "gaps", "--store", path, "--json").objects()
      // Each simulated strap is switched off at the end of the log, so its last gap is open.
      #expect(gaps.count { $0["end"] is NSNull && $0["cause"] as? String == "closed-by-peripheral" } == 3)
      #expect(gaps.count { $0["end"] is String && $0["cause"] as? String == "link-loss" } == gaps.count - 3)
    }
    #expect(gaps.count > 3)
  }

  @Test func `a monitor that was never enrolled has the name from its recording`() throws {
    let log = folder.path("strap.btsnoop")
    _ = try Command.hrgate("simulate", "--straps", "2", "--duration", "1h", "--seed", "4", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", path)
    let all = try Command.hrgate("monitors", "gaps", "--store", path, "--json").objects()
    let one = try Command.hrgate("monitors", "gaps", "--store", path, "--monitor", "strap 2", "--json")
      .objects()
    #expect(Set(all.compactMap { $0["name"] as? String }) == ["Strap 1", "Strap 2"])
    #expect(!one.isEmpty && one.allSatisfy { $0["name"] as? String == "Strap 2" })
    let unknown = try Command.hrgate("monitors", "gaps", "--store", path, "--monitor", "Strap 3")
    #expect(unknown.status == 1 && unknown.errors.contains("no monitor is named Strap 3"))
  }

  @Test(arguments: [["--last", "0"], ["--last", "-3"]])
  func `wrong usage is an error`(arguments: [String]) throws {
    #expect(try Command.hrgate(["monitors", "gaps", "--store", path] + arguments).status == 2)
  }

  @Test func `a declared deviation is stored, printed and removed`() async throws {
    try await enrol()
    func set(_ arguments: String...) throws -> CommandResult {
      try Command.hrgate(["monitors", "set"] + arguments + ["--store", path])
    }
    func printed() throws -> [String?] {
      let strap = try Command.hrgate("monitors", "--store", path, "--json").objects()[0]
      return [strap["intervalUnit"] as? String, strap["sensorContact"] as? String]
    }
    #expect(try set("c0:ff:ee:00:00:01", "--interval-unit", "ms").status == 0)
    #expect(try printed() == ["ms", nil])
    func table() throws -> [String] {
      try Command.hrgate("monitors", "--store", path).lines.compactMap {
        $0.split(separator: "  ").last?.trimmingCharacters(in: .whitespaces)
      }
    }
    #expect(try table() == ["DECLARED", "interval unit ms", "-"])
    #expect(try set("C0:FF:EE:00:00:01", "--sensor-contact", "ignore").status == 0)
    #expect(try printed() == ["ms", "ignore"])
    #expect(try table() == ["DECLARED", "interval unit ms, contact ignored", "-"])
    // Enrolling the monitor again keeps its declared settings.
    try await enrol()
    #expect(try printed() == ["ms", "ignore"])
    let standard = try set("C0:FF:EE:00:00:01", "--interval-unit", "standard", "--sensor-contact", "standard")
    #expect(standard.status == 0)
    #expect(try printed() == [nil, nil])
    #expect(try table().first == "STATE")
    #expect(try set("C0:FF:EE:00:00:01").status == 2)
    let absent = try set("00:00:00:00:00:09", "--interval-unit", "ms")
    #expect(absent.status == 1 && absent.errors.contains("hrgate has no monitor"))
  }

  @Test func `a missing store is an error and is not created`() throws {
    #expect(try Command.hrgate("monitors", "--store", folder.path("none")).status == 1)
    #expect(try Command.hrgate("monitors", "gaps", "--store", folder.path("none")).status == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
  }
}
