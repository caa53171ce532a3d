import DBus
import Foundation
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests the decoding of replies of systemd and of the time service, on a private bus.
@Suite(.timeLimit(.minutes(30)), .enabled(if: ScriptedBus.isInstalled)) struct AnswerTests {
  private let bus: ScriptedBus
  private var address: BusAddress { .address(bus.address) }

  init() throws { bus = try ScriptedBus(tree: #"{"objects": {}, "services": {}}"#) }

  /// Runs `body` while the test exports an object under the name of a system service.
  private func serving(
    _ name: String, _ path: ObjectPath, _ interfaces: ExportedInterface..., body: () async throws -> Void
  ) async throws {
    // The bus may still be starting, so try to connect repeatedly.
    var opened: BusConnection?
    _ = await eventually {
      opened = try? await BusConnection.open(address)
      return opened != nil
    }
    let connection = try #require(opened)
    try await connection.requestName(name)
    try await connection.export(ExportedObject(interfaces: interfaces), at: path)
    try await body()
    await connection.close()
  }

  /// A unit as org.freedesktop.systemd1 reports it.
  private func unit(_ name: String, _ loaded: String, _ active: String) -> DBusValue {
    let texts = [name, "a gateway", loaded, active, "running", ""].map { DBusValue.string($0) }
    let path = DBusValue.objectPath("/org/freedesktop/systemd1/unit/a")
    return .structure(texts + [path, .uint32(0), .string(""), path])
  }

  /// Returns a service manager that lists those of the given units whose names are requested.
  private func manager(_ units: [DBusValue]) -> ExportedInterface {
    let method = ExportedMethod(
      name: "ListUnitsByPatterns", arguments: [.init("states", "as"), .init("patterns", "as")],
      results: [.init("units", "a(ssssssouso)")]
    ) { call in
      let wanted = units.filter { unit in
        unit.asStructure?.first.map { call.body == [.strings([]), .strings([$0.asString ?? ""])] } == true
      }
      return [.array(of: "(ssssssouso)", wanted)]
    }
    let files = ["hrgate@anna.service": "enabled", "hrgate.service": "disabled"]
    let state = ExportedMethod(
      name: "GetUnitFileState", arguments: [.init("file", "s")], results: [.init("state", "s")]
    ) { call throws(BusError) in
      guard let state = files[call.body.first?.asString ?? ""] else {
        throw BusError(.fileNotFound, "no such unit")
      }
      return [.string(state)]
    }
    return ExportedInterface(name: "org.freedesktop.systemd1.Manager", methods: [method, state])
  }

  @Test func `the user's own manager is asked too, and only for the user's units`() async throws {
    let nowhere = BusAddress.address("unix:path=/nowhere/at/all")
    let units = [
      unit("hrgate.service", "loaded", "failed"), unit("hrgate@anna.service", "masked", "active"),
      unit("hrgate@ben.service", "loaded", "failed"),
    ]
    func gather(system: BusAddress, session: BusAddress) async -> ServiceFacts {
      await ServiceFacts.gather(
        machines: "hrgate@anna.service", own: "hrgate.service", system: system, session: session)
    }
    try await serving("org.freedesktop.systemd1", "/org/freedesktop/systemd1", manager(units)) {
      #expect(
        await gather(system: address, session: address)
          == .units([
            "hrgate.service": .init("failed"), "hrgate@anna.service": .init("active", isEnabled: true),
          ]))
      #expect(
        await gather(system: nowhere, session: address) == .units(["hrgate.service": .init("failed")]))
      #expect(
        await gather(system: address, session: nowhere)
          == .units(["hrgate@anna.service": .init("active", isEnabled: true)]))
    }
    // In the first case the unit is installed but not loaded; in the second it is not installed.
    try await serving("org.freedesktop.systemd1", "/org/freedesktop/systemd1", manager([])) {
      #expect(
        await gather(system: nowhere, session: address) == .units(["hrgate.service": .init("inactive")]))
      let none = await ServiceFacts.gather(
        machines: "hrgate@ben.service", own: "x.service", system: address, session: address)
      #expect(none == .units([:]))
    }
  }

  @Test(arguments: [true, false])
  func `the time service reports whether the clock is synchronized`(isSynchronised: Bool) async throws {
    let property = ExportedProperty(name: "NTPSynchronized", constant: .boolean(isSynchronised))
    try await serving(
      "org.freedesktop.timedate1", "/org/freedesktop/timedate1",
      ExportedInterface(name: "org.freedesktop.timedate1", properties: [property])
    ) {
      #expect(await ClockFacts.gather(bus: address).isSynchronised == isSynchronised)
    }
  }

  @Test(arguments: [("loaded", "no", "no"), ("loaded", "on-failure", "on-failure"), ("not-found", "no", nil)])
  func `the unit reports whether systemd restarts bluetoothd`(
    load: String, restart: String, expected: String?
  ) async throws {
    func interface(_ name: String, _ property: String, _ value: String) -> ExportedInterface {
      ExportedInterface(
        name: "org.freedesktop.systemd1.\(name)",
        properties: [ExportedProperty(name: property, constant: .string(value))])
    }
    try await serving(
      "org.freedesktop.systemd1", "/org/freedesktop/systemd1/unit/bluetooth_2eservice",
      interface("Unit", "LoadState", load), interface("Service", "Restart", restart)
    ) {
      #expect(await BluetoothFacts.restart(bus: address) == expected)
    }
  }

  @Test func `without a reply nothing is known`() async {
    let nowhere = BusAddress.address("unix:path=/nowhere/at/all")
    #expect(
      await ServiceFacts.gather(machines: "a", own: "b", system: nowhere, session: nowhere) == .unknown)
    #expect(await ClockFacts.gather(bus: nowhere).isSynchronised == nil)
    #expect(await BluetoothFacts.restart(bus: nowhere) == nil)
  }
}
