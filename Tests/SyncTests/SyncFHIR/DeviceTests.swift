import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests the Device resource of each strap.
@Suite(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"), .timeLimit(.minutes(30)))
struct DeviceTests {
  @Test func `a strap is one Device, and its version is updated`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    #expect(try await store.upload(ChangePage([heartRate(device: strap)])) == [])
    let updated = HKDevice(
      name: "Strap", manufacturer: "Polar", model: "H10", hardwareVersion: nil, firmwareVersion: "3.2.0",
      softwareVersion: nil, localIdentifier: strap.localIdentifier, udiDeviceIdentifier: nil)
    #expect(try await store.upload(ChangePage([heartRate(after: 1, device: updated)])) == [])
    let devices = try server.resources("Device")
    #expect(devices.count == 1)
    #expect(devices.first?["versionId"] as? Int == 2)
    #expect((devices.first?["version"] as? [[String: Any]])?.map { $0["value"] as? String } == ["3.2.0"])
    let references = try server.resources("Observation").map {
      ($0["device"] as? [String: Any])?["reference"] as? String
    }
    let id = try #require(devices.first?["id"] as? String)
    #expect(references == ["Device/\(id)", "Device/\(id)"])
    await store.close()
  }

  @Test func `a removed Device is created again, and no sample becomes a dead letter`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    #expect(try await store.upload(ChangePage([heartRate(device: strap)])) == [])
    try server.forget("Device")
    let page = ChangePage([heartRate(after: 1, device: strap), heartRate(after: 2, device: strap)])
    #expect(try await store.upload(page) == [])
    #expect(try server.uuids().count == 3)
    #expect(try server.resources("Device").count == 1)
    await store.close()
  }

  @Test func `a server without Device resources gets it as a contained resource`() async throws {
    let server = try FHIRServer()
    try server.set(["noDevices": true])
    let store = try server.store()
    try await store.open()
    #expect(try await store.upload(ChangePage([heartRate(device: strap)])) == [])
    let contained = try server.resources("Observation").first?["contained"] as? [[String: Any]]
    #expect(contained?.first?["manufacturer"] as? String == "Polar")
    await store.close()
  }

  // MARK: - Ownership

  /// Both gateways send samples of one strap, with different names for it, and open their stores three times.
  @Test func `only the gateway that created a Device updates it`() async throws {
    let server = try FHIRServer()
    let first = try server.store(id: "1")
    let second = try server.store(id: "2")
    for round in 0..<3 {
      for (index, store) in [first, second].enumerated() {
        try await store.open()
        let sample = heartRate(after: Double(10 * round + index), device: Self.called("\(index)"))
        #expect(try await store.upload(ChangePage([sample])) == [])
        await store.close()
      }
    }
    let devices = try server.resources("Device")
    #expect(devices.map(Self.name) == ["0"])
    #expect(devices.first?["versionId"] as? Int == 1)
    let id = try #require(devices.first?["id"] as? String)
    #expect(try server.references() == Array(repeating: "Device/\(id)", count: 6))
    // The first gateway created the Device, so it can update it.
    try await first.open()
    let renamed = heartRate(after: 100, device: Self.called("new"))
    #expect(try await first.upload(ChangePage([renamed])) == [])
    await first.close()
    #expect(try server.resources("Device").map(Self.name) == ["new"])
  }

  /// hrgate must not overwrite a Device of another system, for example of a hospital.
  @Test func `a Device of another system is referenced and not changed`() async throws {
    let server = try FHIRServer()
    let maker = try server.store(id: "1")
    try await maker.open()
    #expect(try await maker.upload(ChangePage([heartRate(device: strap)])) == [])
    await maker.close()
    try server.disown()
    try await maker.open()
    let renamed = heartRate(after: 1, device: Self.called("other"))
    #expect(try await maker.upload(ChangePage([renamed])) == [])
    await maker.close()
    #expect(try server.resources("Device").map(Self.name) == ["Strap \u{FFFD}H10"])
    #expect(Set(try server.references()).count == 1)
  }

  /// Another gateway removes and recreates the Device after the store has read it and before the store
  /// updates it. Servers answer such an update with 412 or 409.
  @Test(arguments: [412, 409])
  func `a Device that another gateway has recreated is not changed`(
    conflict: Int
  ) async throws {
    let server = try FHIRServer()
    try server.set(["conflict": conflict])
    let store = try server.store(id: "1")
    try await store.open()
    #expect(try await store.upload(ChangePage([heartRate(device: Self.called("old"))])) == [])
    try server.set(["remade": "another's"])
    let renamed = heartRate(after: 1, device: Self.called("new"))
    #expect(try await store.upload(ChangePage([renamed])) == [])
    await store.close()
    let devices = try server.resources("Device")
    #expect(devices.map(Self.name) == ["another's"])
    #expect(try server.uuids().count == 2)
    // The second sample references the Device that the other gateway has created.
    let id = try #require(devices.first?["id"] as? String)
    #expect(try server.references().last == "Device/\(id)")
  }

  @Test func `an older sample does not revert the Device, within a page and after it`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    let page = ChangePage([
      heartRate(after: 10, device: Self.called("new")),
      heartRate(after: 5, device: Self.called("old")),
    ])
    #expect(try await store.upload(page) == [])
    #expect(
      try await store.upload(ChangePage([heartRate(after: 1, device: Self.called("older"))])) == [])
    #expect(try server.resources("Device").map(Self.name) == ["new"])
    #expect(try server.resources("Device").first?["versionId"] as? Int == 1)
    await store.close()
  }

  /// A gateway without an ID is identified by its name, which may contain any characters.
  @Test(arguments: ["a, b|c", "50 % & more", "Küche"])
  func `a gateway recognizes its own Device with any name`(gateway: String) async throws {
    let server = try FHIRServer()
    let store = try server.store(gateway: gateway)
    for name in ["old", "new"] {
      try await store.open()
      #expect(
        try await store.upload(
          ChangePage([heartRate(after: name == "new" ? 1 : 0, device: Self.called(name))])) == [])
      await store.close()
    }
    #expect(try server.resources("Device").map(Self.name) == ["new"])
  }

  @Test func `on a server without versions the Device is updated by its identifier`() async throws {
    let server = try FHIRServer()
    try server.set(["tellsVersions": false])
    let store = try server.store()
    try await carryRenamed(to: store)
    #expect(try server.resources("Device").map(Self.name) == ["new"])
  }

  @Test func `a token without the right to search leaves the Device unchanged`() async throws {
    let server = try FHIRServer()
    try server.set(["noSearch": true])
    let store = try server.store()
    try await carryRenamed(to: store)
    #expect(try server.resources("Device").map(Self.name) == ["old"])
    #expect(try server.uuids().count == 2)
  }

  /// Sends two samples of one device in one session. The second sample has a new device name.
  private func carryRenamed(to store: FHIRStore) async throws {
    try await store.open()
    for (time, name) in [(0.0, "old"), (1, "new")] {
      let sample = heartRate(after: time, device: Self.called(name))
      #expect(try await store.upload(ChangePage([sample])) == [])
    }
    await store.close()
  }

  private static func called(_ name: String) -> HKDevice {
    HKDevice(
      name: name, manufacturer: "Polar", model: "H10", hardwareVersion: nil, firmwareVersion: nil,
      softwareVersion: nil, localIdentifier: strap.localIdentifier, udiDeviceIdentifier: nil)
  }

  private static func name(of device: [String: Any]) -> String? {
    (device["deviceName"] as? [[String: Any]])?.first?["name"] as? String
  }
}
