import Bluetooth
import Foundation
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion
import Testing

@testable import Gateway
@testable import TestSupport

private func time(_ seconds: Int64) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + seconds * 1_000_000)
}

/// Tests to which person a monitor of a recording belongs. The owner of the machine's store is number 0.
@Suite struct MonitorOwnersTests {
  private let registries: [MonitorRegistry]
  private let strap = BluetoothAddress(bits: 7, kind: .random)
  private var peer: PeripheralIdentity { .address(strap) }

  init() throws { registries = try (0..<3).map { _ in try MonitorRegistry(at: .memory) } }

  private func owners() async throws -> MonitorOwners {
    var members: [MonitorOwners.Enrolments?] = []
    for registry in registries { members.append(try await MonitorOwners.Enrolments(of: registry)) }
    return MonitorOwners(members)
  }

  private func enrol(_ member: Int, _ second: Int64) async throws {
    try await registries[member].enrol(
      EnrolledMonitor(address: strap, isBonded: false, enrolled: time(second)))
  }

  private func follow(_ member: Int, isRecorded: Bool = false) async throws {
    let gap = MonitorGapRecord(
      monitor: AddressRecord(strap), start: 0, end: 1, cause: "link-loss", lost: nil)
    var changes = MonitorChangesRecord(gaps: [gap])
    changes.isRecorded = isRecorded
    try await registries[member].store.database.save(changes)
  }

  @Test func `a monitor that is not enrolled belongs to the owner or to the named person`() async throws {
    let owners = try await owners()
    #expect(owners.owner(of: peer, at: time(0)) == .noOwner)
    #expect(owners.place(of: peer, at: time(0)) == .pipeline(0))
    #expect(owners.placeOfFirst(peer, at: time(0)) == .pipeline(0))
    #expect(owners.place(of: .unidentified(link: 1), at: time(0)) == .pipeline(0))
  }

  @Test
  func `a monitor belongs to the person it is enrolled for, also before its enrollment if it had no owner`()
    async throws
  {
    try await enrol(1, 100)
    let owners = try await owners()
    for second in [nil, 0, 99, 100, 200] as [Int64?] {
      let time = second.map(time)
      #expect(owners.place(of: peer, at: time) == .pipeline(1))
      #expect(owners.placeOfFirst(peer, at: time) == .nowhere(.otherPerson))
    }
    #expect(owners.owner(of: peer) == 1)
    // The log does not show which monitor this is. Its frames are stored only if the command names a person.
    #expect(owners.place(of: .unidentified(link: 1), at: nil) == .nowhere(.unknownPerson))
    #expect(owners.placeOfFirst(.unidentified(link: 1), at: nil) == .pipeline(0))
  }

  @Test func `measurements from before a monitor changed hands have no owner until a person is named`()
    async throws
  {
    try await follow(0)
    try await enrol(1, 100)
    try await enrol(2, 50)
    let owners = try await owners()
    #expect(owners.owner(of: peer, at: time(99)) == .oneOf([0, 1, 2]))
    #expect(owners.place(of: peer, at: time(99)) == .nowhere(.unknownPerson))
    #expect(owners.placeOfFirst(peer, at: time(99)) == .pipeline(0))
    #expect(owners.place(of: peer, at: time(100)) == .pipeline(1))
    #expect(owners.placeOfFirst(peer, at: time(100)) == .nowhere(.otherPerson))
  }

  @Test func `reading a store without its registry finds the same monitors and does not create the store`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("health.sqlite")
    #expect(throws: HKError.self) { try MonitorOwners.Enrolments(ofStoreAt: path) }
    #expect(!FileManager.default.fileExists(atPath: path))
    let registry = try MonitorRegistry(at: .file(path))
    try await registry.enrol(EnrolledMonitor(address: strap, isBonded: false, enrolled: time(100)))
    let other = BluetoothAddress(bits: 8, kind: .publicDevice)
    let gap = MonitorGapRecord(
      monitor: AddressRecord(other), start: 0, end: 1, cause: "link-loss", lost: nil)
    try await registry.store.database.save(MonitorChangesRecord(gaps: [gap]))
    let owners = MonitorOwners([
      try await MonitorOwners.Enrolments(of: registries[0]), try MonitorOwners.Enrolments(ofStoreAt: path),
    ])
    #expect(owners.place(of: peer, at: time(0)) == .pipeline(1))
    #expect(owners.place(of: .address(other), at: time(0)) == .pipeline(1))
  }

  @Test func `a forgotten monitor keeps its owner, and a replay does not change that`() async throws {
    try await enrol(1, 100)
    try await follow(1)
    try await follow(0, isRecorded: true)
    try await registries[1].forget(strap)
    let owners = try await owners()
    #expect(owners.place(of: peer, at: time(0)) == .pipeline(1))
    #expect(owners.placeOfFirst(peer, at: time(0)) == .nowhere(.otherPerson))
  }
}
