import DBus
import Foundation
import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import hrgate

@Suite(.timeLimit(.minutes(30)), .enabled(if: MachineBus.isInstalled)) struct GatewayFaceTests {
  private static let name = GatewayBusNames.systemName(ofUser: geteuid())
  private static let policy = MachineBus.policy

  private static var status: GatewayStatus {
    var strap = MonitorStatus(address: "C0:FF:EE:00:00:01")
    strap.name = "H10"
    strap.state = "following"
    strap.battery = 85
    strap.isBonded = true
    strap.heartRate = 61
    strap.measuredAt = 9_000_000
    strap.hasContact = true
    (strap.intervals, strap.beats, strap.beatAt) = ([0.8125, 0.984375], 12, 9_000_000)
    strap.measurements = 7
    var status = GatewayStatus()
    status.summary = "1 monitor: 1 following"
    (status.measurements, status.stored, status.duplicates, status.waiting) = (7, 4, 1, 2)
    status.monitors = [strap]
    return status
  }

  private func shows(_ status: GatewayStatus, _ reader: GatewayReader) async -> Bool {
    await eventually { (try? await reader.status()) == status }
  }

  /// Publishes a status on a bus while `body` runs.
  private func shown(
    on bus: MachineBus,
    _ body: (AsyncStream<GatewayStatus>.Continuation, GatewayReader) async throws -> Void
  ) async throws {
    let service = GatewayBusService(on: bus.address, as: Self.name) { 10_500_000 }
    let (updates, update) = AsyncStream.makeStream(of: GatewayStatus.self)
    let showing = Task { try await service.show(updates) }
    let reader = try await GatewayReader(on: bus.address, of: Self.name)
    update.yield(Self.status)
    #expect(await shows(Self.status, reader))
    try await body(update, reader)
    await reader.close()
    update.finish()
    try await showing.value
  }

  @Test func `published properties have their values, and unknown ones are absent`() async throws {
    try await shown(on: MachineBus(policy: Self.policy)) { update, reader in
      var bare = GatewayStatus()
      bare.monitors = [MonitorStatus(address: "C0:FF:EE:00:00:02")]
      update.yield(bare)
      #expect(await shows(bare, reader))
      update.yield(GatewayStatus())
      #expect(await shows(GatewayStatus(), reader))
    }
  }

  @Test func `changes are signaled with their values, and added and removed monitors are reported`()
    async throws
  {
    let bus = try MachineBus(policy: Self.policy)
    try await shown(on: bus) { update, _ in
      let connection = try await BusConnection.open(bus.address)
      let signals = try await connection.signals(matching: [MatchRule(sender: Self.name)])
      try await watch(connection)
      var status = Self.status
      status.monitors[0].heartRate = 62
      status.monitors[0].hasContact = nil
      update.yield(status)
      update.yield(status)
      var heard = signals.makeAsyncIterator()
      guard case .signal(let changed) = await heard.next() else { return }
      #expect(changed.path == "/org/hrgate/Gateway1/monitor_C0_FF_EE_00_00_01")
      #expect(changed.member == "PropertiesChanged")
      #expect(changed.body[0].asString == "org.hrgate.Gateway1.Monitor")
      #expect(changed.body[1].asProperties == ["HeartRate": .uint16(62)])
      #expect(changed.body[2].asStrings == ["Contact"])
      status.monitors[0] = MonitorStatus(address: "C0:FF:EE:00:00:02")
      update.yield(status)
      var members: [String] = []
      while members.count < 2, case .signal(let signal) = await heard.next() { members.append(signal.member) }
      #expect(members == ["InterfacesRemoved", "InterfacesAdded"])
      await connection.close()
    }
  }

  private func watch(_ connection: BusConnection) async throws {
    try await connection.call(
      MethodCall(
        destination: Self.name, path: GatewayBusNames.root, interface: "org.hrgate.Gateway1", member: "Watch")
    )
  }

  @Test func `a measurement is signaled only while a client watches, but can always be read`()
    async throws
  {
    let bus = try MachineBus(policy: Self.policy)
    try await shown(on: bus) { update, reader in
      let listener = try await BusConnection.open(bus.address)
      var heard = try await listener.signals(matching: [MatchRule(sender: Self.name)])
        .makeAsyncIterator()
      var status = Self.status
      func next(heartRate: UInt16, battery: UInt8) async throws -> [String: DBusValue]? {
        status.monitors[0].heartRate = heartRate
        update.yield(status)
        #expect(await shows(status, reader))
        status.monitors[0].battery = battery
        update.yield(status)
        guard case .signal(let signal) = await heard.next() else { return nil }
        return signal.body[1].asProperties
      }
      #expect(try await next(heartRate: 62, battery: 84) == ["Battery": .byte(84)])
      let watcher = try await BusConnection.open(bus.address)
      try await watch(watcher)
      try await watch(watcher)
      #expect(try await next(heartRate: 63, battery: 83) == ["HeartRate": .uint16(63)])
      guard case .signal(let second) = await heard.next() else { return }
      #expect(second.body[1].asProperties == ["Battery": .byte(83)])
      var ownerChanges = try await listener.signals(matching: [.ownerChanges(of: watcher.uniqueName)])
        .makeAsyncIterator()
      await watcher.close()
      _ = await ownerChanges.next()
      // The gateway learns of the watcher's exit at the same time as the test. Until then it may still emit
      // changes for the watcher.
      var battery: UInt8 = 82
      var changed = try await next(heartRate: 64, battery: battery)
      while changed?["HeartRate"] != nil {
        guard case .signal = await heard.next() else { return }
        battery -= 1
        changed = try await next(heartRate: 64 + UInt16(battery), battery: battery)
      }
      #expect(changed == ["Battery": .byte(battery)])
      await listener.close()
    }
  }

  @Test func `introspection marks the properties whose changes are signaled to watchers only`() async throws {
    let bus = try MachineBus(policy: Self.policy)
    try await shown(on: bus) { _, _ in
      let connection = try await BusConnection.open(bus.address)
      let path = try #require(GatewayBusNames.path(ofMonitor: Self.status.monitors[0].address))
      let xml = try await connection.call(
        MethodCall(
          destination: Self.name, path: path, interface: "org.freedesktop.DBus.Introspectable",
          member: "Introspect")
      ).body.first?.asString
      let silent = try #require(xml).split(separator: "<property ").filter {
        $0.contains("EmitsChangedSignal")
      }
      .compactMap { $0.split(separator: "\"").dropFirst().first }
      #expect(
        silent == [
          "HeartRate", "MeasuredAt", "Contact", "Intervals", "Beats", "BeatAt", "Measurements", "Age",
        ])
      await connection.close()
    }
  }

  @Test func `after the bus has come back the status is published again, without a new change`() async throws
  {
    let bus = try MachineBus(policy: Self.policy)
    try await shown(on: bus) { _, _ in
      bus.crash()
      try bus.start()
      let reader = try await GatewayReader(on: bus.address, of: Self.name)
      #expect(await shows(Self.status, reader))
      await reader.close()
    }
  }

  @Test func `a bus that rejects the name is asked again, and then the last status is published`()
    async throws
  {
    let bus = try MachineBus(policy: nil)
    let service = GatewayBusService(on: bus.address, as: Self.name, timeout: .milliseconds(20)) { 10_500_000 }
    let (updates, update) = AsyncStream.makeStream(of: GatewayStatus.self)
    let showing = Task { try await service.show(updates) }
    let reader = try await GatewayReader(on: bus.address, of: Self.name)
    update.yield(GatewayStatus())
    update.yield(Self.status)
    let refusal = await #expect(throws: BusError.self) { try await reader.status() }
    #expect(refusal != nil)
    try await bus.permit(try #require(Self.policy))
    #expect(await shows(Self.status, reader))
    update.finish()
    try await showing.value
    await reader.close()
  }

  @Test func `with nothing more to publish on a bus that rejects the name, publishing ends`() async throws {
    let bus = try MachineBus(policy: nil)
    let service = GatewayBusService(on: bus.address, as: Self.name) { 0 }
    let (updates, update) = AsyncStream.makeStream(of: GatewayStatus.self)
    update.yield(Self.status)
    update.finish()
    try await service.show(updates)
  }

  @Test func `followers get each change, until the gateway exits`() async throws {
    let bus = try MachineBus(policy: Self.policy)
    try await shown(on: bus) { update, reader in
      let seen = Mutex<[GatewayStatus]>([])
      let following = Task { try await reader.follow { status in seen.withLock { $0.append(status) } } }
      #expect(await eventually { seen.withLock { $0.last } == Self.status })
      var status = Self.status
      status.duplicates = 3
      update.yield(status)
      #expect(await eventually { seen.withLock { $0.last } == status })
      update.finish()
      try await following.value
    }
  }

  /// Uses a gateway that reports changes and counts the requests for its status.
  @Test func `a follower asks once, whatever changes`() async throws {
    let bus = try MachineBus(policy: Self.policy)
    let asked = Mutex(0)
    let exported = ExportedStatus()
    exported.show(Self.status)
    var object = exported.gateway()
    object.interfaces[0].properties.append(
      ExportedProperty(name: "Asked", signature: "t") { () throws(BusError) in
        asked.withLock { $0 += 1 }
        return .uint64(0)
      })
    let gateway = try await BusConnection.open(bus.address)
    try await gateway.export(object, at: GatewayBusNames.root)
    let (one, two) = (Self.status.monitors[0].address, "C0:FF:EE:00:00:02")
    for address in [one, two] {
      let path = try #require(GatewayBusNames.path(ofMonitor: address))
      try await gateway.export(exported.monitor(address) { 0 }, at: path)
    }
    try await gateway.requestName(Self.name)
    let reader = try await GatewayReader(on: bus.address, of: Self.name)
    let seen = Mutex<[GatewayStatus]>([])
    let following = Task { try await reader.follow { status in seen.withLock { $0.append(status) } } }
    var status = Self.status
    #expect(await eventually { seen.withLock { $0.last } == status })
    let path = try #require(GatewayBusNames.path(ofMonitor: one))
    try await gateway.emitPropertiesChanged(
      path: path, interface: "org.hrgate.Gateway1.Monitor", changed: ["HeartRate": .uint16(99)],
      invalidated: ["Contact", "Name"])
    status.monitors[0].heartRate = 99
    (status.monitors[0].hasContact, status.monitors[0].name) = (nil, nil)
    #expect(await eventually { seen.withLock { $0.last } == status }, "\(seen.withLock { $0 })")
    try await gateway.emitPropertiesChanged(
      path: GatewayBusNames.root, interface: "org.hrgate.Gateway1", changed: ["Stored": .uint64(5)],
      invalidated: ["Summary", "StoreFailure"])
    // `Stored` is never invalidated, because a gateway always knows it.
    status.stored = 5
    #expect(await eventually { seen.withLock { $0.last } == status })
    await gateway.unexport(path)
    status.monitors = []
    #expect(await eventually { seen.withLock { $0.last } == status })
    var late = Self.status
    late.monitors = [MonitorStatus(address: two)]
    exported.show(late)
    try await gateway.announce(try #require(GatewayBusNames.path(ofMonitor: two)))
    status.monitors = late.monitors
    #expect(await eventually { seen.withLock { $0.last } == status })
    #expect(asked.withLock(\.self) == 1)
    await gateway.close()
    try await following.value
    await reader.close()
  }

  /// In the other order, measurements between the two calls would not be signaled to any client.
  @Test func `a new gateway is asked for reports first, and then for its status`()
    async throws
  {
    let bus = try MachineBus(policy: Self.policy)
    let asked = Mutex<[String]>([])
    var gateways: [BusConnection] = []
    for number in 1...2 {
      let exported = ExportedStatus()
      exported.show(Self.status)
      var object = exported.gateway([
        ExportedMethod(name: GatewayBusNames.watch) { _ throws(BusError) in
          asked.withLock { $0.append("\(number) to tell") }
          return []
        }
      ])
      object.interfaces[0].properties.append(
        ExportedProperty(name: "Asked", signature: "t") { () throws(BusError) in
          asked.withLock { $0.append("\(number) how it stands") }
          return .uint64(0)
        })
      let gateway = try await BusConnection.open(bus.address)
      try await gateway.export(object, at: GatewayBusNames.root)
      // The second gateway waits in the bus's queue for the name, and gets it when the first one exits.
      try await gateway.call(
        MethodCall(
          destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "RequestName", body: [.string(Self.name), .uint32(0)]))
      gateways.append(gateway)
    }
    let reader = try await GatewayReader(on: bus.address, of: Self.name)
    let seen = Mutex(0)
    let following = Task { try await reader.follow { _ in seen.withLock { $0 += 1 } } }
    for (place, gateway) in gateways.enumerated() {
      #expect(await eventually { seen.withLock(\.self) == place + 1 })
      await gateway.close()
    }
    try await following.value
    let wanted = ["1 to tell", "1 how it stands", "2 to tell", "2 how it stands"]
    #expect(asked.withLock(\.self) == wanted)
    await reader.close()
  }

  /// Runs busctl with the arguments of the documentation.
  private func busctl(_ bus: MachineBus, as user: [String] = []) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      user + [
        "busctl", "--address=\(bus.text)", "get-property", Self.name,
        "/org/hrgate/Gateway1/monitor_C0_FF_EE_00_00_01", "org.hrgate.Gateway1.Monitor", "HeartRate", "Age",
      ]
    let said = try process.output(includingErrors: true)
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/busctl")))
  func `busctl reads the heart rate and its age, and another user reads nothing`() async throws {
    let bus = try MachineBus(policy: Self.policy)
    try await shown(on: bus) { _, _ in
      let own = try busctl(bus)
      #expect(own.said == "q 61\nd 1.5\n", "\(own)")
      guard geteuid() == 0 else { return }
      let other = try busctl(bus, as: ["setpriv", "--reuid=65534", "--clear-groups", "--"])
      #expect(other.status != 0 && other.said.contains("denied"), "\(other)")
      #expect(!other.said.contains("61"))
    }
  }
}
