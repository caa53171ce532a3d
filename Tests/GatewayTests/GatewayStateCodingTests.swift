import BlueZ
import Bluetooth
import Foundation
import HealthKit
import Testing

@testable import Gateway
@testable import Ingestion

/// Tests the JSON of a gateway's state.
@Suite struct GatewayStateCodingTests {
  private static let strap = BluetoothAddress(bits: 0xF00D_BEA7_0101, kind: .random)
  private static let adapter = BluetoothAddress(bits: 0x02A5_5000_0001, kind: .publicDevice)
  private static let begin = ReceiptTime(microsecondsSince1970: 1_800_000_000_123_456)

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }

  private static var monitor: EnrolledMonitor {
    var monitor = EnrolledMonitor(address: strap, name: "Strap", isBonded: true, enrolled: begin)
    monitor.deviceInformation[.manufacturerNameString] = "Maker"
    monitor.deviceInformation[.modelNumberString] = "Model"
    monitor.deviceInformation[.serialNumberString] = "Serial"
    monitor.deviceInformation[.hardwareRevisionString] = "1"
    monitor.deviceInformation[.firmwareRevisionString] = "2"
    monitor.deviceInformation[.softwareRevisionString] = "3"
    monitor.sensorLocation = .earLobe
    monitor.lastSeen = begin
    monitor.lastMeasurement = begin
    monitor.battery = 90
    monitor.adapter = adapter
    monitor.state = .stopped
    monitor.settings.intervalUnit = .milliseconds
    monitor.settings.ignoresSensorContact = true
    return monitor
  }

  /// A state in which every property has a value.
  private static var full: GatewayState {
    var state = GatewayState()
    func send(_ event: GatewayEvent, of person: String? = nil) {
      let clocks = SystemClocks(boottimeNanoseconds: 5_000_000_000, asleepNanoseconds: 7, wall: begin)
      state.update(with: TimedGatewayEvent(emitted: clocks, person: person, event: event))
    }
    send(.enrolled([monitor]))
    send(.enrolled([]), of: "Ben")
    send(.ended(tally(measurements: 3)), of: "Ben")
    send(.waiting(process: 42), of: "Anna")
    send(.refused(reason: "the store is damaged"), of: "Anna")
    send(.hanging(.bus, true))
    send(.hanging(.store, true))
    send(.damaged(reason: "an hour cannot be read"))
    send(.missed(2))
    send(.heard(HeardSignal(monitor: strap, rssi: -70, time: begin)))
    send(
      .state(
        FollowStatus(
          monitor: strap, state: .away, adapter: adapter, detail: "le-connection-abort", isBonded: false)))
    send(
      .measured([
        LiveMeasurement(
          monitor: strap, receiptTime: begin, heartRate: 61, hasContact: true, energy: 12,
          intervals: [0.984375])
      ]))
    send(.battery(LiveBattery(monitor: strap, percentage: 80)))
    var counted = tally(measurements: 5)
    var monitor = MonitorTally(
      peripheral: .address(strap), name: "Strap", bundleIdentifier: "org.hrgate.monitor.x", measurements: 5)
    monitor.lastReceipt = begin
    monitor.openGap = .linkLoss
    monitor.withoutContact = 120
    monitor.intervalRatio = 0.977
    counted.monitors = [monitor]
    var report = CommitReport(tally: counted, heldBack: 4)
    report.clockErrors = [ClockError(start: begin, end: begin, ahead: .milliseconds(1500), isAtLeast: true)]
    send(.committed(report))
    send(.stopping)
    return state
  }

  private static func tally(measurements: Int) -> IngestionTally {
    var tally = IngestionTally()
    tally.measurements = measurements
    tally.stored = [SampleTypes.heartRate: measurements - 2]
    tally.duplicates = 1
    tally.rejected = [.storeFailed: 1]
    tally.anomalies = ["reserved-flags": 2]
    tally.refusedClockChanges = 1
    return tally
  }

  @Test(arguments: [full, GatewayState(), GatewayState(of: "Anna")])
  func `a decoded state encodes to the same JSON`(_ state: GatewayState) throws {
    let json = try Self.encoder.encode(state)
    let decoded = try JSONDecoder().decode(GatewayState.self, from: json)
    #expect(
      try String(decoding: Self.encoder.encode(decoded), as: UTF8.self)
        == String(decoding: json, as: UTF8.self))
    #expect(
      decoded.main == state.main && decoded.missed == state.missed && decoded.hasEnded == state.hasEnded)
    #expect(decoded.tally.measurements == state.tally.measurements && decoded.lost == state.lost)
    #expect(decoded.storeFailure == state.storeFailure && decoded.busFailure == state.busFailure)
    #expect(decoded.clockError == state.clockError && decoded.waiting == state.waiting)
    #expect(decoded.monitors.map(\.enrolled) == state.monitors.map(\.enrolled))
    #expect(decoded.monitors.map(\.status) == state.monitors.map(\.status))
    #expect(decoded.monitors.map(\.beats) == state.monitors.map(\.beats))
    #expect(decoded.monitors.map(\.signal) == state.monitors.map(\.signal))
    #expect(decoded.monitors.map(\.latest?.measurement) == state.monitors.map(\.latest?.measurement))
    #expect(
      decoded.monitors.map { $0.problems.contains(.noContact) }
        == state.monitors.map { $0.problems.contains(.noContact) })
    #expect(decoded.accounts.mapValues(\.tally.rejected) == state.accounts.mapValues(\.tally.rejected))
  }

  @Test func `the names are those of the command line, and times are ISO 8601`() throws {
    let json = try Self.encoder.encode(Self.full)
    let state = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(
      Set(state.keys) == [
        "measurements", "stored", "duplicates", "rejected", "heldBack", "storeFailure", "clockError",
        "busHanging", "stopping", "ended", "missed", "stores", "former", "monitors",
      ])
    #expect(state["measurements"] as? Int == 8 && state["stored"] as? Int == 4)
    let monitor = try #require((state["monitors"] as? [[String: Any]])?.first)
    #expect(
      Set(monitor.keys) == [
        "address", "addressType", "name", "state", "since", "detail", "adapter", "battery", "bonded",
        "heartRate", "time", "contact", "energy", "intervals", "clocks", "beats", "rssi", "heardAt",
        "measurements", "problems", "tally", "enrolled",
      ])
    #expect(monitor["time"] as? String == "2027-01-15T08:00:00.123456Z")
    #expect(monitor["battery"] as? Int == 80 && monitor["bonded"] as? Bool == false)
    #expect(
      monitor["address"] as? String == "F0:0D:BE:A7:01:01" && monitor["addressType"] as? String == "random")
    #expect(monitor["problems"] as? [String] == ["no-contact"])
    let enrolled = try #require(monitor["enrolled"] as? [String: Any])
    #expect(enrolled["location"] as? String == "earLobe" && enrolled["firmware"] as? String == "2")
    #expect(enrolled["intervalUnit"] as? String == "ms" && enrolled["sensorContact"] as? String == "ignore")
    let stores = try #require(state["stores"] as? [[String: Any]])
    #expect(stores.map { $0["person"] as? String } == [nil, "Anna"])
    #expect((stores[0]["rejected"] as? [String: Int]) == ["storeFailed": 1])
    #expect((stores[1]["waiting"] as? [String: Int]) == ["process": 42])
  }

  @Test(arguments: [
    (#""state":"away""#, #""state":"dancing""#),
    (#""time":"2027-01-15T08:00:00.123456Z""#, #""time":"yesterday""#),
    (#""addressType":"random""#, #""addressType":"odd""#), (#""clockAhead":1.5"#, #""clockAhead":1e300"#),
    (#""address":"F0:0D:BE:A7:01:01""#, #""address":"F0""#),
  ])
  func `an invalid state is rejected with the name of the member`(_ right: String, _ wrong: String) throws {
    let json = String(decoding: try Self.encoder.encode(Self.full), as: UTF8.self)
    #expect(json.contains(right))
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(GatewayState.self, from: Data(json.replacing(right, with: wrong).utf8))
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!context.debugDescription.isEmpty && !context.codingPath.isEmpty)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
      (1_800_000_000_000_001, "2027-01-15T08:00:00.000001Z"),
    ] as [(Int64, String)])
  func `a time has microseconds in both directions`(_ microseconds: Int64, _ text: String) {
    let time = ReceiptTime(microsecondsSince1970: microseconds)
    #expect(time.description == text && ReceiptTime(text) == time)
  }

  @Test(arguments: [
    "", "Z", ".Z", "2027-01-15T08:00:00", "2027-01-15T08:00:00.Z", "2027-01-15T08:00:00.1.2Z",
    "2027-13-15T08:00:00Z", "2027-01-15T08:00:00.-1Z",
  ])
  func `an invalid time is not parsed`(_ text: String) {
    #expect(ReceiptTime(text) == nil)
  }
}
