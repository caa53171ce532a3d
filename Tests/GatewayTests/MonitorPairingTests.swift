import Bluetooth
import Foundation
import HealthKit
import Ingestion
import StrapSimulator
import Synchronization
import Testing

@testable import BlueZ
@testable import Gateway
@testable import TestSupport

/// A simulated radio with one monitor, whose properties the test chooses.
private final class ScriptedRadio: PairingRadio {
  let facts: MonitorFacts
  let failure: Mutex<(any Error)?> = Mutex(nil)
  /// Called when the monitor is paired.
  let paired: @Sendable () -> Void

  init(_ facts: MonitorFacts, paired: @escaping @Sendable () -> Void = {}) {
    self.facts = facts
    self.paired = paired
  }

  func scan(
    for time: Duration, known: Set<BluetoothAddress>, showsAll: Bool,
    report: @escaping @Sendable ([SeenPeripheral]) -> Void
  ) async throws { report([SeenPeripheral(address: facts.address)]) }

  func pair(
    _ monitor: String, bonding: Bonding, dialogue: any PairingDialogue,
    progress: @escaping @Sendable (PairingStep) -> Void
  ) async throws -> MonitorFacts {
    paired()
    return facts
  }

  func forget(
    _ address: BluetoothAddress, isForAll: Bool, timeout: Duration
  ) async throws -> ForgetOutcome {
    if let error = failure.withLock(\.self) { throw error }
    return isForAll ? .forgotten : .leftToOthers
  }
}

@Suite(.timeLimit(.minutes(30))) struct MonitorPairingTests {
  private let folder: TemporaryFolder
  private let registry: MonitorRegistry
  private let anna: MonitorRegistry
  private let annas: PersonStore

  private static let address = BluetoothAddress(bits: 0xC000_0000_0001, kind: .random)
  private static let contactIgnored = {
    var settings = MonitorSettings()
    settings.ignoresSensorContact = true
    return settings
  }()

  init() throws {
    folder = try TemporaryFolder()
    registry = try MonitorRegistry(at: .memory)
    annas = PersonStore(person: "Anna", path: folder.path("anna.sqlite"))
    anna = try MonitorRegistry(at: .file(annas.path))
  }

  /// - Returns: The monitor, and the events that were reported.
  private func pair(
    _ pairing: MonitorPairing, _ monitor: String = "Strap", bonding: Bonding = .preferred
  ) async throws -> (PairedMonitor, [PairingEvent]) {
    let events = Mutex<[PairingEvent]>([])
    let paired = try await pairing.pair(monitor, bonding: bonding) { event in
      events.withLock { $0.append(event) }
    }
    return (paired, events.withLock(\.self))
  }

  @Test func `a simulated strap is heard, paired by its name, and enrolled with its description`()
    async throws
  {
    let straps = [StrapProfile.sample(index: 0), .sample(index: 2)]
    let pairing = MonitorPairing(registry, radio: SimulatedRadio(straps: straps))
    let heard = Mutex<[SeenPeripheral]>([])
    try await pairing.scan(for: .seconds(1)) { seen in heard.withLock { $0 = seen } }
    #expect(heard.withLock { $0.map(\.name) } == ["Strap 1", "Strap 3"])
    #expect(heard.withLock { $0.allSatisfy { !$0.isEnrolled && $0.hasHeartRateService } })

    let (paired, events) = try await pair(pairing, "strap 3")
    let monitor = try #require(try await registry.monitor(straps[1].address))
    #expect(paired.monitor == monitor && paired.person == nil)
    #expect(monitor.name == "Strap 3" && monitor.sensorLocation == .wrist && !monitor.isBonded)
    #expect(monitor.deviceInformation == straps[1].deviceInformation)
    #expect(monitor.battery == Int(straps[1].batteryLevel))
    #expect(events.first == .step(.searching))
    #expect(events.contains(.notBonded(reason: "the simulated strap does not support bonding")))

    try await pairing.scan(for: .seconds(1)) { seen in heard.withLock { $0 = seen } }
    #expect(heard.withLock { $0.map(\.isEnrolled) } == [false, true])
    #expect(try await registry.monitors(named: straps[1].address.description.lowercased()) == [monitor])
    #expect(try await pairing.forget(straps[1].address) == .notKnown)
    #expect(try await registry.monitors().isEmpty)
  }

  @Test func `a strap that is absent, ambiguous or without the required bond is not enrolled`()
    async throws
  {
    var twin = StrapProfile.sample(index: 1)
    twin.name = "Strap 1"
    let straps = [StrapProfile.sample(index: 0), twin]
    let pairing = MonitorPairing(registry, radio: SimulatedRadio(straps: straps))
    await #expect(throws: PairingError.notFound("Strap 9")) { try await pairing.pair("Strap 9") }
    await #expect(throws: PairingError.ambiguous("Strap 1", straps.map(\.address))) {
      try await pairing.pair("Strap 1")
    }
    await #expect(throws: PairingError.pairingFailed("the simulated strap does not support bonding")) {
      try await pairing.pair(twin.address.description, bonding: .required)
    }
    #expect(try await registry.monitors().isEmpty)
  }

  @Test func `a monitor of another person stays theirs, or moves with its settings`() async throws {
    let radio = ScriptedRadio(MonitorFacts(address: Self.address, name: "Strap", isBonded: true))
    var enrolled = EnrolledMonitor(address: Self.address, isBonded: false, enrolled: SystemClocks.now().wall)
    enrolled.name = "Old name"
    try await anna.enrol(enrolled)
    try await anna.declare(Self.contactIgnored, of: Self.address)
    let absent = PersonStore(person: "Ben", path: folder.path("ben.sqlite"))

    let keeping = MonitorPairing(registry, others: [annas, absent], takesOver: false, radio: radio)
    let (kept, events) = try await pair(keeping)
    #expect(kept.person == "Anna" && kept.monitor.name == "Strap" && kept.monitor.isBonded)
    #expect(events == [.keptPerson(Self.address, "Anna")])
    #expect(try await registry.monitors().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: absent.path))

    let moving = MonitorPairing(registry, others: [annas, absent], radio: radio)
    #expect(try await moving.holders(of: Self.address).map(\.person) == ["Anna"])
    let (moved, laterEvents) = try await pair(moving)
    #expect(moved.person == nil && moved.monitor.settings.ignoresSensorContact)
    #expect(laterEvents == [.changedPerson(Self.address, from: ["Anna"], to: nil)])
    #expect(try await anna.monitors().isEmpty)
    #expect(try await moving.holders(of: Self.address).isEmpty)
  }

  @Test func `an unreadable store is reported with its person, and nothing is enrolled`() async throws {
    let broken = PersonStore(person: "Ben", path: try folder.file("ben.sqlite", Array("no store".utf8)))
    let pairing = MonitorPairing(
      registry, others: [broken], radio: ScriptedRadio(MonitorFacts(address: Self.address)))
    let error = await #expect(throws: MonitorOwnershipError.self) { try await pairing.pair("Strap") }
    #expect(
      error?.localizedDescription.hasPrefix("Ben's store cannot be read") == true,
      "\(String(describing: error))")
    #expect(try await registry.monitors().isEmpty)
  }

  @Test func `an identity address replaces the private one, with its settings`() async throws {
    let former = BluetoothAddress(bits: 0x4000_0000_0001, kind: .random)
    var facts = MonitorFacts(address: Self.address, isBonded: true)
    facts.privateAddress = former
    let pairing = MonitorPairing(registry, radio: ScriptedRadio(facts))
    let (first, events) = try await pair(
      MonitorPairing(registry, radio: ScriptedRadio(MonitorFacts(address: former))), bonding: .none)
    #expect(first.monitor.address == former && events == [.privateAddress(former, .none)])
    try await registry.declare(Self.contactIgnored, of: former)
    let (paired, laterEvents) = try await pair(pairing)
    #expect(laterEvents == [.replaced(former: former, by: Self.address)])
    #expect(try await registry.monitors() == [paired.monitor])
    #expect(paired.monitor.settings.ignoresSensorContact)
  }

  @Test func `a monitor that was paired is enrolled even if the task is canceled then`() async throws {
    let cancel = Mutex<(@Sendable () -> Void)?>(nil)
    let radio = ScriptedRadio(MonitorFacts(address: Self.address)) { cancel.withLock { $0?() } }
    let pairing = MonitorPairing(registry, radio: radio)
    let (start, started) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in start { break }
      return try await pairing.pair("Strap")
    }
    cancel.withLock { $0 = { task.cancel() } }
    started.yield()
    #expect(try await task.value.monitor.address == Self.address)
    #expect(try await registry.monitors().map(\.address) == [Self.address])
  }

  @Test func `forgetting ends the enrollment first, and returns the outcome for the bond`() async throws {
    let radio = ScriptedRadio(MonitorFacts(address: Self.address))
    let pairing = MonitorPairing(registry, radio: radio)
    for (error, outcome) in [
      (nil, BondRemoval.leftToOthers), (BlueZUnavailableError.daemonAbsent, .unavailable(.daemonAbsent)),
    ] as [((any Error)?, BondRemoval)] {
      _ = try await pair(pairing)
      radio.failure.withLock { $0 = error }
      let unenrolled = Mutex<[BluetoothAddress]>([])
      let bond = try await pairing.forget(Self.address) { monitor in
        unenrolled.withLock { $0.append(monitor.address) }
      }
      #expect(bond == outcome && unenrolled.withLock(\.self) == [Self.address])
      #expect(try await registry.monitors().isEmpty)
    }
    radio.failure.withLock { $0 = NotifyAcquiredError(monitor: Self.address) }
    _ = try await pair(pairing)
    let error = await #expect(throws: BondRemovalError.self) { try await pairing.forget(Self.address) }
    #expect(error?.reason is NotifyAcquiredError && error?.address == Self.address)
    #expect(try await registry.monitors().isEmpty)
    radio.failure.withLock { $0 = nil }
    #expect(try await pairing.removeBond(of: Self.address, isForAll: true) == .removed)
  }
}
