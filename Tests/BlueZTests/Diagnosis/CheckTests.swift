import Bluetooth
import Gateway
import Testing

@testable import hrgate

/// Tests the checks of `hrgate doctor`: each test gives facts and expects findings.
@Suite struct CheckTests {
  private static let answering = BluetoothFacts(
    access: .answering, version: Version(5, 66),
    adapters: [.init(name: "hci0", isPowered: true, isDiscoveringForGood: false)])

  private func verdicts(_ findings: [Finding]) -> [Finding.Verdict] { findings.map(\.verdict) }

  @Test func `findings with problems have advice, and others have none`() {
    let monitor = EnrolmentFacts(
      address: BluetoothAddress(bits: 1, kind: .random), battery: 3, isBonded: true, lastSeen: nil)
    let broken = Facts(
      machine: MachineFacts(
        kernelRelease: "6.1.85",
        radioSwitches: [.init(name: "hci0", isSoftBlocked: true, isHardBlocked: true)],
        supervisionTimeout: 100),
      bluetooth: BluetoothFacts(
        access: .answering, version: Version(5, 87),
        adapters: [.init(name: "hci0", isPowered: false, isDiscoveringForGood: true)]),
      clock: ClockFacts(now: 0),
      store: StoreFacts(
        path: "/s", state: .unreadable("why"), mode: 0o644, problems: ["one", "two"], room: 0),
      service: .units(["hrgate.service": .init("failed")]), monitors: [monitor])
    let findings = broken.findings
    #expect(Set(findings.map(\.check)).count == 14)
    for finding in findings { #expect((finding.advice == nil) == (finding.verdict == .ok), "\(finding)") }
    #expect(findings.filter { $0.verdict == .ok }.map(\.check) == ["bus", "links"])
  }

  @Test func `no problems are found if there are none`() {
    let monitor = EnrolmentFacts(
      address: BluetoothAddress(bits: 1, kind: .random), battery: 87, lastSeen: 1_800_000_000)
    let sound = Facts(
      machine: MachineFacts(kernelRelease: "6.1.190", adapters: ["hci0"], supervisionTimeout: 420),
      bluetooth: Self.answering, clock: ClockFacts(now: 1_800_000_000, isSynchronised: true),
      store: StoreFacts(
        path: "/s", state: .current, mode: 0o600, isShielded: true, problems: [], room: 1 << 40,
        hasGateway: true),
      service: .unknown, monitors: [monitor])
    #expect(sound.findings.filter { $0.verdict != .ok } == [])
  }

  @Test(arguments: [
    ("6.1.80", true), ("6.1.98", true), ("6.1.79", false), ("6.1.99", false), ("6.1.190", false),
    ("6.1.192", true), ("6.6.30", true), ("6.6.40", false), ("6.7.12", true), ("6.8.0-31-generic", true),
    ("6.9.9", false), ("6.12.1", false), ("5.15.160", true), ("5.10.222", false), ("5.4.271", true),
    ("4.19.310", false),
  ])
  func `warns of kernels with a known bug`(release: String, isFaulty: Bool) {
    let findings = KernelCheck.findings(MachineFacts(kernelRelease: release))
    #expect(verdicts(findings) == [isFaulty ? .warn : .ok])
  }

  @Test(arguments: [("6.8.12", true), ("5.15.158", false)])
  func `the release number of an Ubuntu kernel with its own fixes gives no warning`(
    release: String, isMended: Bool
  ) {
    func verdict(_ isKernelOfUbuntu: Bool) -> [Finding.Verdict] {
      verdicts(
        KernelCheck.findings(MachineFacts(kernelRelease: release, isKernelOfUbuntu: isKernelOfUbuntu)))
    }
    #expect(verdict(false) == [.warn])
    #expect(verdict(true) == [isMended ? .ok : .warn])
  }

  @Test(arguments: [
    ("5.64", true), ("5.65", false), ("5.66", false), ("5.68", false), ("5.69", true), ("5.77", true),
    ("5.78", true), ("5.79", false), ("5.83", true), ("5.86", false), ("5.87", true), ("5.88", false),
  ])
  func `warns of versions of bluetoothd with a known bug`(version: String, isFaulty: Bool) throws {
    let version = try #require(Version(version))
    let findings = DaemonCheck.findings(BluetoothFacts(access: .answering, version: version))
    #expect(verdicts(findings) == [isFaulty ? .warn : .ok])
  }

  @Test func `the reason why bluetoothd cannot be reached is reported once`() {
    let cases: [(BluetoothFacts.Access, bus: [Finding.Verdict], daemon: [Finding.Verdict])] = [
      (.answering, [.ok], [.ok]), (.busAbsent("x"), [.fail], []), (.userRefused("x"), [.fail], []),
      (.daemonAbsent, [.ok], [.fail]),
      (.notAnswering, [.ok], [.fail]), (.notPermitted("x"), [.fail], []), (.refused("x"), [.fail], []),
    ]
    for (access, bus, daemon) in cases {
      let facts = BluetoothFacts(access: access)
      #expect(verdicts(BusCheck.findings(facts)) == bus && verdicts(DaemonCheck.findings(facts)) == daemon)
    }
  }

  @Test func `an adapter that is off fails, unless another one is on`() {
    func adapters(_ powered: Bool...) -> BluetoothFacts {
      BluetoothFacts(
        access: .answering,
        adapters: powered.enumerated().map {
          .init(name: "hci\($0)", isPowered: $1, isDiscoveringForGood: false)
        })
    }
    let machine = MachineFacts(kernelRelease: "6", adapters: ["hci0"])
    #expect(verdicts(AdapterCheck.findings(adapters(true), machine)) == [.ok])
    #expect(verdicts(AdapterCheck.findings(adapters(false), machine)) == [.fail])
    #expect(verdicts(AdapterCheck.findings(adapters(true, false), machine)) == [.ok, .warn])
    #expect(verdicts(AdapterCheck.findings(adapters(), machine)) == [.fail])
    #expect(verdicts(AdapterCheck.findings(adapters(), MachineFacts(kernelRelease: "6"))) == [.fail])
    // An adapter that the kernel knows, but not bluetoothd, has its own finding.
    let unknown = AdapterCheck.findings(adapters(), machine)
    #expect(unknown.map(\.text) == ["the kernel has it, but bluetoothd does not"])
    #expect(unknown.first?.subject == "hci0" && unknown.first?.advice?.contains("restart bluetooth") == true)
    let none = AdapterCheck.findings(adapters(), MachineFacts(kernelRelease: "6"))
    #expect(none.map(\.text) == ["there is no adapter"])
    let two = MachineFacts(kernelRelease: "6", adapters: ["hci0", "hci1"])
    #expect(verdicts(AdapterCheck.findings(adapters(true), two)) == [.ok, .warn])
    #expect(AdapterCheck.findings(adapters(true), two).last?.subject == "hci1")
    let stopped = BluetoothFacts(access: .daemonAbsent)
    #expect(AdapterCheck.findings(stopped, machine) == [])
    #expect(verdicts(AdapterCheck.findings(stopped, MachineFacts(kernelRelease: "6"))) == [.fail])
  }

  @Test func `a discovery that ends is not stuck`() {
    var facts = Self.answering
    #expect(verdicts(DiscoveryCheck.findings(facts)) == [.ok])
    facts.adapters[0].isDiscoveringForGood = true
    #expect(verdicts(DiscoveryCheck.findings(facts)) == [.warn])
  }

  @Test func `the supervision timeout must be neither too short nor too long`() {
    let cases: [(Int?, [Finding.Verdict])] = [
      (nil, []), (100, [.warn]), (420, [.ok]), (6000, [.ok]), (32_000, [.warn]),
    ]
    for (time, expected) in cases {
      let facts = MachineFacts(kernelRelease: "6", supervisionTimeout: time)
      #expect(verdicts(SupervisionCheck.findings(facts)) == expected)
    }
  }

  @Test func `a clock that was never set fails, and one that was ahead gives a warning`() {
    let store = StoreFacts(path: "/s", state: .current, latestMeasurement: 1_800_000_000)
    let cases: [(ClockFacts, Finding.Verdict)] = [
      (ClockFacts(now: 3600), .fail), (ClockFacts(now: 1_799_990_000), .warn),
      (ClockFacts(now: 1_799_999_990), .ok), (ClockFacts(now: 1_800_000_001, isSynchronised: false), .warn),
      (ClockFacts(now: 1_800_000_001, isSynchronised: true), .ok),
    ]
    let older = StoreFacts(path: "/t", state: .current, latestMeasurement: 1_700_000_000)
    for (clock, expected) in cases {
      // The result does not depend on which of several stores has the latest measurement.
      for stores in [[store], [older, store], [store, older]] {
        #expect(verdicts(ClockCheck.findings(clock, stores)) == [expected])
      }
    }
  }

  @Test func `stores and straps of two people are checked separately`() {
    func monitor(_ person: String?, _ battery: Int) -> EnrolmentFacts {
      var monitor = EnrolmentFacts(
        address: BluetoothAddress(bits: 1, kind: .random), name: "H10", battery: battery,
        lastSeen: 1_800_000_000)
      monitor.person = person
      return monitor
    }
    func store(_ person: String?, _ state: StoreFacts.State) -> StoreFacts {
      var store = StoreFacts(path: "/\(person ?? "")", state: state)
      store.person = person
      return store
    }
    let facts = Facts(
      machine: MachineFacts(kernelRelease: "6.1.190"), bluetooth: Self.answering,
      clock: ClockFacts(now: 1_800_000_000), store: store(nil, .current),
      people: [store("Anna", .newer("99")), store("Ben", .current)], service: .unknown,
      monitors: [monitor(nil, 90), monitor("Anna", 90), monitor("Ben", 5)])
    func lines(_ check: String) -> [String] {
      facts.findings.filter { $0.check == check }.map { "\($0.subject ?? "-") \($0.verdict)" }
    }
    #expect(lines("store") == ["- ok", "Anna fail", "Ben ok"])
    #expect(lines("battery") == ["H10 ok", "H10 (Anna) ok", "H10 (Ben) warn"])
  }

  @Test func `a store that other users can access is reported, unless its folder is closed`() {
    func store(_ mode: Int, isShielded: Bool) -> [Finding.Verdict] {
      verdicts(
        StoreCheck.findings(StoreFacts(path: "/s", state: .current, mode: mode, isShielded: isShielded)))
    }
    #expect(store(0o600, isShielded: false) == [.ok])
    #expect(store(0o644, isShielded: false) == [.ok, .fail])
    #expect(store(0o640, isShielded: false) == [.ok, .fail])
    #expect(store(0o644, isShielded: true) == [.ok])
  }

  @Test func `damage and a full disk fail, and a nearly full disk gives a warning`() {
    func store(_ problems: [String]?, room: Int64) -> [Finding.Verdict] {
      verdicts(StoreCheck.findings(StoreFacts(path: "/s", state: .current, problems: problems, room: room)))
    }
    #expect(store([], room: 1 << 40) == [.ok, .ok, .ok])
    #expect(store(["row 7"], room: 100 << 20) == [.ok, .fail, .warn])
    #expect(store(nil, room: 0) == [.ok, .fail])
  }

  @Test func `the version that wrote the store decides whether this one can read it`() {
    let cases: [(StoreFacts.State, Finding.Verdict)] = [
      (.absent, .warn), (.unreadable("x"), .fail), (.older("3"), .ok), (.newer("99"), .fail), (.current, .ok),
      (.locked, .warn),
    ]
    for (state, expected) in cases {
      #expect(verdicts(StoreCheck.findings(StoreFacts(path: "/s", state: state))) == [expected])
    }
  }

  @Test func `a running gateway is enough, however it was started`() {
    let runs = StoreFacts(path: "/s", state: .current, hasGateway: true, gateway: 42)
    let rests = StoreFacts(path: "/s", state: .current)
    #expect(verdicts(ServiceCheck.findings(.units(["hrgate.service": .init("failed")]), runs)) == [.ok])
    #expect(verdicts(ServiceCheck.findings(.unknown, rests)) == [.warn])
    #expect(verdicts(ServiceCheck.findings(.units([:]), rests)) == [.warn])
    let units: [String: ServiceFacts.Unit] = [
      "hrgate.service": .init("failed"), "hrgate@anna.service": .init("active"),
    ]
    let findings = ServiceCheck.findings(.units(units), rests)
    #expect(verdicts(findings) == [.fail, .warn])
    // The journal of a user's own service manager is read with `journalctl --user`.
    #expect(findings.first?.advice?.contains("journalctl --user -u hrgate.service") == true)
    #expect(findings.last?.advice?.contains("systemctl cat hrgate@anna.service") == true)
  }

  @Test func `the state of the service is reported, and the command that enables it`() {
    let runs = StoreFacts(path: "/s", state: .current, hasGateway: true, gateway: 42)
    let rests = StoreFacts(path: "/s", state: .current)
    let own: ServiceFacts = .units(["hrgate.service": .init("inactive")])
    let both: ServiceFacts = .units([
      "hrgate.service": .init("inactive"), "hrgate@anna.service": .init("inactive"),
    ])
    #expect(
      ServiceCheck.findings(both, rests).map(\.advice) == [
        "Start one: sudo systemctl enable --now hrgate@anna"
      ])
    #expect(
      ServiceCheck.findings(own, rests).map(\.advice) == ["Start one: systemctl --user enable --now hrgate"])
    #expect(ServiceCheck.findings(.units([:]), rests).map(\.advice) == ["Start one: hrgate run"])
    #expect(
      ServiceCheck.findings(own, runs).first?.text.hasSuffix(
        "its service is not enabled (systemctl --user enable --now hrgate)") == true)
    let enabled: ServiceFacts = .units([
      "hrgate.service": .init("inactive"), "hrgate@anna.service": .init("activating", isEnabled: true),
    ])
    #expect(
      ServiceCheck.findings(enabled, runs).first?.text.hasSuffix("enabled: hrgate@anna.service") == true)
    let waiting = ServiceCheck.findings(enabled, rests)
    #expect(waiting.map(\.subject) == ["hrgate@anna.service"])
    #expect(waiting.first?.text == "it is activating, and no gateway runs")
    let stopped = ServiceCheck.findings(
      .units(["hrgate.service": .init("inactive", isEnabled: true)]), rests)
    #expect(stopped.first?.text == "it is inactive, and no gateway runs")
    #expect(stopped.first?.advice?.hasPrefix("Start it: systemctl --user enable --now hrgate") == true)
  }

  @Test
  func `people whose monitors are not followed are reported, also if a gateway of other people runs`() {
    func store(_ person: String?, _ gateway: Int32?) -> StoreFacts {
      var store = StoreFacts(path: "/s", state: .current, hasGateway: gateway != nil, gateway: gateway)
      store.person = person
      return store
    }
    func monitor(_ person: String?) -> EnrolmentFacts {
      var monitor = EnrolmentFacts(address: BluetoothAddress(bits: 1, kind: .random))
      monitor.person = person
      return monitor
    }
    func lines(_ owner: Int32?, _ anna: Int32?, _ monitors: [EnrolmentFacts]) -> [String] {
      ServiceCheck.findings(
        .unknown, store(nil, owner), people: [store("Anna", anna)], monitors: monitors
      ).map { "\($0.subject ?? "-") \($0.verdict) \($0.text)" }
    }
    let follows = "ok a gateway (process 7) records the monitors"
    #expect(lines(7, 7, [monitor("Anna")]) == ["- \(follows)", "Anna \(follows)"])
    #expect(
      lines(7, nil, [monitor("Anna")]) == [
        "- \(follows)", "Anna warn a gateway (process 7) runs, but does not record Anna's monitors",
      ])
    #expect(lines(7, nil, [monitor(nil)]) == ["- \(follows)"])
    #expect(lines(nil, 7, [monitor("Anna")]) == ["Anna \(follows)"])
    #expect(
      lines(nil, 7, [monitor("Anna"), monitor(nil)]) == [
        "- warn a gateway (process 7) runs, but does not record the owner's monitors", "Anna \(follows)",
      ])
    #expect(
      lines(nil, nil, [monitor("Anna")]) == [
        "- warn no gateway runs on the store", "Anna warn no gateway records Anna's monitors",
      ])
  }

  @Test func `processes that have the store open are reported, and the gateway as such`() {
    func lines(
      _ holders: [StoreFacts.Holder]?, isOpen: Bool? = true, hasGateway: Bool = true
    ) -> [String] {
      StoreCheck.findings(
        StoreFacts(
          path: "/s", state: .current, holders: holders, isOpenElsewhere: isOpen, hasGateway: hasGateway,
          gateway: 7)
      ).dropFirst().map(\.text)
    }
    let unseen = ["open in a program that is not visible from here"]
    #expect(lines(nil) == [] && lines([]) == unseen && lines([], isOpen: false) == unseen)
    #expect(lines([], hasGateway: false) == unseen)
    #expect(lines([], isOpen: false, hasGateway: false) == ["no program has it open"])
    #expect(lines([], isOpen: nil, hasGateway: false) == [])
    #expect(
      lines([.init(process: 7, program: "hrgate"), .init(process: 9, program: nil)]) == [
        "open in hrgate (process 7, the gateway) and a program (process 9)"
      ])
  }

  @Test func `warns of a bluetoothd that is not restarted after a crash`() {
    func verdicts(_ restart: String?) -> [Finding.Verdict] {
      self.verdicts(
        DaemonCheck.findings(BluetoothFacts(access: .answering, version: Version(5, 66), restart: restart)))
    }
    #expect(verdicts("no") == [.ok, .warn])
    #expect(verdicts("on-failure") == [.ok] && verdicts("always") == [.ok] && verdicts(nil) == [.ok])
  }

  @Test func `an H10 gets advice to allow two receivers`() {
    func advice(_ name: String?) -> String {
      LastSeenCheck.findings(
        EnrolmentFacts(address: BluetoothAddress(bits: 1, kind: .random), name: name), ClockFacts(now: 0)
      ).compactMap(\.advice).joined()
    }
    #expect(advice("Polar H10 12345678").contains("Polar Beat") && !advice("TICKR").contains("Polar"))
  }

  @Test func `a bond that bluetoothd has lost fails, if bluetoothd can be asked`() {
    var monitor = EnrolmentFacts(address: BluetoothAddress(bits: 1, kind: .random), isBonded: true)
    var bluetooth = Self.answering
    #expect(verdicts(BondCheck.findings(monitor, bluetooth)) == [.fail])
    bluetooth.bonds = [monitor.address]
    #expect(verdicts(BondCheck.findings(monitor, bluetooth)) == [.ok])
    #expect(BondCheck.findings(monitor, BluetoothFacts(access: .daemonAbsent)) == [])
    monitor.isBonded = false
    #expect(BondCheck.findings(monitor, bluetooth) == [])
  }

  @Test func `a low battery gives a warning, and an unknown level does not`() {
    func battery(_ level: Int?) -> [Finding.Verdict] {
      verdicts(
        BatteryCheck.findings(
          EnrolmentFacts(address: BluetoothAddress(bits: 1, kind: .random), battery: level))
      )
    }
    #expect(battery(nil) == [] && battery(21) == [.ok] && battery(20) == [.warn] && battery(0) == [.warn])
  }

  @Test func `a monitor that was away for more than a week is mentioned`() {
    let clock = ClockFacts(now: 10 * 86_400)
    func seen(_ time: Double?) -> [Finding.Verdict] {
      verdicts(
        LastSeenCheck.findings(
          EnrolmentFacts(address: BluetoothAddress(bits: 1, kind: .random), lastSeen: time), clock))
    }
    #expect(seen(nil) == [.warn] && seen(86_400) == [.warn] && seen(9.5 * 86_400) == [.ok])
    // The monitor was seen in the future, because the clock was set back meanwhile.
    #expect(seen(11 * 86_400) == [.ok])
  }

  // MARK: - Ends of links

  /// Creates a monitor with links of these lengths in seconds, and gaps of ten seconds between them.
  private func monitor(links ages: [Double], cause: GapCause = .closedByPeripheral) -> EnrolmentFacts {
    var time = 0.0
    var gaps: [MonitorGap] = []
    for age in [0] + ages {
      gaps.append(gap(from: time + age, to: time + age + 10, cause))
      time += age + 10
    }
    return EnrolmentFacts(address: BluetoothAddress(bits: 1, kind: .random), gaps: gaps)
  }

  private func gap(from start: Double, to end: Double?, _ cause: GapCause) -> MonitorGap {
    func time(_ seconds: Double) -> ReceiptTime { ReceiptTime(microsecondsSince1970: Int64(seconds * 1e6)) }
    return MonitorGap(
      monitor: BluetoothAddress(bits: 1, kind: .random), start: time(start), end: end.map(time), cause: cause)
  }

  @Test(
    arguments: [
      ([30, 30.5, 29], true), ([900, 150, 151, 149], true), ([30, 30, 60], false), ([30, 30], false),
      ([45, 45, 45], false), ([30, 150, 30], false), ([30, 30, 30, 400], false),
    ] as [([Double], Bool)])
  func `links that end at the same age are rejected by the host`(ages: [Double], isRefused: Bool) {
    let monitor = monitor(links: ages)
    let end = monitor.gaps.last?.end?.secondsSince1970 ?? 0
    let findings = LinkEndsCheck.findings(monitor, ClockFacts(now: end))
    #expect(verdicts(findings) == [isRefused ? .warn : .ok])
    #expect(findings[0].text.contains("rejects") == isRefused)
  }

  @Test(
    arguments: [(.linkLoss, true), (.adapterOff, false), (.closedByHost, false), (.silence, false)]
      as [(GapCause, Bool)])
  func `only links that end on their own count for that`(cause: GapCause, isRefused: Bool) {
    let findings = LinkEndsCheck.findings(monitor(links: [30, 30, 30], cause: cause), ClockFacts(now: 135))
    #expect(verdicts(findings) == [isRefused ? .warn : .ok])
  }

  @Test func `a longer link is not rejected, nor is one with an unknown beginning`() {
    let monitor = monitor(links: [30, 30, 30])
    let end = monitor.gaps.last?.end?.secondsSince1970 ?? 0
    for (standing, isRefused) in [(10.0, true), (31, true), (33, false)] {
      let findings = LinkEndsCheck.findings(monitor, ClockFacts(now: end + standing))
      #expect(verdicts(findings) == [isRefused ? .warn : .ok], "\(standing) s")
    }
    var silent = monitor
    silent.gaps[2].cause = .silence
    #expect(verdicts(LinkEndsCheck.findings(silent, ClockFacts(now: end + 10))) == [.ok])
  }

  @Test func `links of the last days are counted by the causes of their ends`() {
    let often = monitor(links: Array(repeating: 100, count: 200), cause: .linkLoss)
    #expect(verdicts(LinkEndsCheck.findings(often, ClockFacts(now: 30_000))) == [.warn])
    #expect(LinkEndsCheck.findings(often, ClockFacts(now: 1_000_000))[0].text == "no lost link in 7 days")
    var mixed = monitor(links: [5, 600], cause: .linkLoss)
    mixed.gaps.append(gap(from: 3000, to: nil, .adapterOff))
    let text = LinkEndsCheck.findings(mixed, ClockFacts(now: 4000))[0].text
    #expect(text == "in 7 days: 3 × link-loss, 1 × adapter-off")
  }
}
