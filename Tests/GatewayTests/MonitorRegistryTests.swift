import BlueZ
import Bluetooth
import Foundation
import HealthKit
import HealthStorage
import Ingestion
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

private func time(_ seconds: Int64) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + seconds * 1_000_000)
}

private func address(_ bits: UInt64, _ kind: BluetoothAddress.Kind = .random) -> BluetoothAddress {
  BluetoothAddress(bits: bits, kind: kind)
}

@Suite(.timeLimit(.minutes(30))) struct MonitorRegistryTests {
  private let registry: MonitorRegistry

  init() throws { registry = try MonitorRegistry(at: .memory) }

  private func chestStrap() -> EnrolledMonitor {
    var monitor = EnrolledMonitor(
      address: address(0xA1), name: "Strap \u{1B}[2J", isBonded: true, enrolled: time(0))
    monitor.deviceInformation[.manufacturerNameString] = "Maker"
    monitor.deviceInformation[.modelNumberString] = "Model"
    monitor.deviceInformation[.serialNumberString] = "Serial"
    monitor.deviceInformation[.hardwareRevisionString] = "Hardware"
    monitor.deviceInformation[.firmwareRevisionString] = "Firmware"
    monitor.deviceInformation[.softwareRevisionString] = "Software"
    monitor.sensorLocation = .chest
    monitor.lastSeen = time(2)
    monitor.lastMeasurement = time(1)
    monitor.battery = 0
    monitor.adapter = address(0xFFFF_FFFF_FFFF, .publicDevice)
    return monitor
  }

  @Test func `a monitor is stored with all its properties`() async throws {
    try await registry.enrol(chestStrap())
    #expect(try await registry.monitors() == [chestStrap()])
    #expect(try await registry.monitor(address(0xA1)) == chestStrap())
    let bare = EnrolledMonitor(address: address(1), isBonded: false, enrolled: time(5))
    try await registry.enrol(bare)
    #expect(try await registry.monitors() == [chestStrap(), bare])
  }

  @Test func `equal bits of another address type are another monitor`() async throws {
    try await registry.enrol(EnrolledMonitor(address: address(7), isBonded: false, enrolled: time(0)))
    #expect(try await registry.monitor(address(7, .publicDevice)) == nil)
    #expect(try await !registry.forget(address(7, .publicDevice)))
    try await registry.enrol(
      EnrolledMonitor(address: address(7, .publicDevice), isBonded: true, enrolled: time(1)))
    #expect(try await registry.monitors().map(\.isBonded) == [false, true])
  }

  @Test func `enrolling again keeps the first time and all values that are not replaced`() async throws {
    try await registry.enrol(chestStrap())
    var again = EnrolledMonitor(address: address(0xA1), name: "New", isBonded: false, enrolled: time(900))
    again.deviceInformation[.firmwareRevisionString] = "2"
    try await registry.enrol(again)
    var expected = chestStrap()
    expected.name = "New"
    expected.deviceInformation[.firmwareRevisionString] = "2"
    expected.isBonded = false
    #expect(try await registry.monitors() == [expected])
  }

  @Test func `status updates change only the given values, and times only move forward`() async throws {
    #expect(try await !registry.updateStatus(of: address(0xA1), battery: 5))
    #expect(try await registry.monitors().isEmpty)
    try await registry.enrol(chestStrap())
    #expect(
      try await registry.updateStatus(
        of: address(0xA1), lastSeen: time(1), battery: 44, adapter: address(3, .random)))
    var expected = chestStrap()
    expected.battery = 44
    expected.adapter = address(3, .random)
    #expect(try await registry.monitor(address(0xA1)) == expected)
    try await registry.updateStatus(
      of: address(0xA1), lastSeen: time(30), isBonded: false, state: MonitorState(.away))
    expected.lastSeen = time(30)
    expected.state = MonitorState(.away)
    expected.isBonded = false
    #expect(try await registry.monitor(address(0xA1)) == expected)
  }

  @Test func `settings are adopted by a monitor without settings`() async throws {
    try await registry.enrol(chestStrap())
    var settings = MonitorSettings()
    settings.intervalUnit = .milliseconds
    try await registry.adopt(settings, of: address(0xA1))
    #expect(try await registry.monitor(address(0xA1))?.settings == settings)
    var other = MonitorSettings()
    other.ignoresSensorContact = true
    try await registry.adopt(other, of: address(0xA1))
    try await registry.adopt(MonitorSettings(), of: address(0xA1))
    #expect(try await registry.monitor(address(0xA1))?.settings == settings)
    // A monitor that is not enrolled gets no settings.
    try await registry.adopt(settings, of: address(0xA2))
    #expect(try await registry.monitors().count == 1)
  }

  @Test func `forgetting a monitor keeps its samples and gaps`() async throws {
    let store = try HKHealthStore.inMemory()
    let registry = try MonitorRegistry(store)
    try await registry.enrol(chestStrap())
    let sample = HKQuantitySample(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 60),
      start: .now, end: .now)
    let gap = MonitorGapRecord(
      monitor: AddressRecord(text: address(0xA1).description, kind: 1), start: 1, end: 2, cause: "silence",
      lost: nil)
    _ = try await store.saveReporting(
      [(HKSource(name: "Strap", bundleIdentifier: "org.hrgate.monitor.A1"), [sample])],
      with: MonitorChangesRecord(gaps: [gap]))
    #expect(try await registry.forget(address(0xA1)))
    #expect(try await !registry.forget(address(0xA1)))
    #expect(try await registry.monitors().isEmpty)
    #expect(try await store.storedUUIDs(among: [sample.uuid]) == [sample.uuid])
    #expect(try await registry.gaps().map(\.cause) == [.silence])
  }

  @Test func `another handle on the file sees a monitor and gets its changes, and no others`() async throws {
    let folder = try TemporaryFolder()
    let gateway = try HKHealthStore(storeAt: folder.path("s.sqlite"))
    let other = try MonitorRegistry(at: .file(folder.path("s.sqlite")))
    let registry = try MonitorRegistry(gateway)
    let changes = try await registry.changes()
    let heard = Count()
    try await withThrowingTaskGroup { group in
      group.addTask { for await _ in changes { heard.rise() } }
      try await other.enrol(chestStrap())
      #expect(await eventually { heard.value >= 1 })
      #expect(try await registry.monitors() == [chestStrap()])
      // A status update is not an enrollment change.
      var ticks = try gateway.systemDatabase().commits().makeAsyncIterator()
      try await other.updateStatus(of: address(0xA1), lastSeen: time(77), battery: 3)
      while try await registry.monitor(address(0xA1))?.battery != 3 { _ = await ticks.next() }
      _ = await ticks.next()
      #expect(heard.value == 1)
      try await other.enrol(chestStrap())
      #expect(await eventually { heard.value >= 2 })
      try await other.forget(address(0xA1))
      #expect(await eventually { heard.value >= 3 })
      #expect(try await registry.monitors().isEmpty)
      group.cancelAll()
    }
    #expect(heard.value == 3)
  }

  @Test func `values read from a monitor are stored, and empty values change nothing`() {
    var monitor = chestStrap()
    monitor.learn([(.batteryLevel, [50]), (.bodySensorLocation, []), (.deviceName, [])])
    #expect(monitor == chestStrap())
    monitor.learn([
      (.bodySensorLocation, BodySensorLocation.wrist.encoded),
      (.deviceName, AttributeValue(Array("New".utf8))),
      (.firmwareRevisionString, DeviceInformationString("9.1").encoded),
    ])
    var expected = chestStrap()
    expected.name = "New"
    expected.sensorLocation = .wrist
    expected.deviceInformation[.firmwareRevisionString] = "9.1"
    #expect(monitor == expected)
  }

  @Test func `a program cannot access the gateway's monitors`() throws {
    let folder = try TemporaryFolder()
    let application = try HKHealthStore.Application(
      bundleIdentifier: "org.example.reader", name: "Reader", entitlements: .init(healthKit: true))
    let store = try HKHealthStore(
      configuration: .init(
        location: .file(folder.path("s.sqlite")), application: application,
        decision: .asking { _ in .grantedAll }))
    let refusal = #expect(throws: HKError.self) { try MonitorRegistry(store) }
    #expect(refusal?.code == .errorAuthorizationDenied)
  }

  @Test func `gaps are filtered by monitor, time, count and whether they are open`() async throws {
    let store = try HKHealthStore.inMemory()
    let registry = try MonitorRegistry(store)
    func record(_ bits: UInt64, _ start: Int64, _ end: Int64?, _ lost: Int? = nil) -> MonitorGapRecord {
      MonitorGapRecord(
        monitor: AddressRecord(text: address(bits).description, kind: 1), start: start, end: end,
        cause: "link-loss", lost: lost)
    }
    func save(_ gaps: MonitorGapRecord...) async throws {
      _ = try await store.saveReporting([], with: MonitorChangesRecord(gaps: gaps))
    }
    func starts(_ gaps: [MonitorGap]) -> [Int64] { gaps.map(\.start.microsecondsSince1970) }
    func at(_ time: Int64) -> ReceiptTime { ReceiptTime(microsecondsSince1970: time) }
    try await save(record(1, 10, 20), record(2, 15, nil), record(1, 30, nil), record(1, 40, 40, 9))
    #expect(starts(try await registry.gaps()) == [10, 15, 30, 40])
    #expect(starts(try await registry.gaps(of: address(1))) == [10, 30, 40])
    #expect(starts(try await registry.gaps(from: at(20))) == [15, 30, 40])
    #expect(starts(try await registry.gaps(to: at(30))) == [10, 15])
    #expect(starts(try await registry.gaps(isOpen: true)) == [15, 30])
    #expect(starts(try await registry.gaps(isOpen: false, last: 1)) == [40])
    #expect(try await registry.gaps(last: 1).first?.lost == 9)
    // Save changed gaps: a known end stays, and a missing end is added.
    try await save(record(1, 10, nil), record(1, 30, 35, 2))
    #expect(try await registry.gaps(of: address(1)).map(\.end) == [at(20), at(35), at(40)])
    #expect(try await registry.gaps(of: address(1)).map(\.lost) == [nil, 2, 9])
  }
}

private final class Count: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }
  func rise() { count.withLock { $0 += 1 } }
}
