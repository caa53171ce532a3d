import Bluetooth
import BluetoothCentral
import Foundation
import HealthKit
import Ingestion
import Testing

@testable import BlueZ
@testable import TestSupport
@testable import hrgate

private let strap = BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random)
private let adapter = BluetoothAddress(bits: 0x1B_DC0A_0B01, kind: .publicDevice)

@Suite(.timeLimit(.minutes(10))) struct StatusKeeperTests {
  private let folder: TemporaryFolder
  private let path: String
  private let registry: MonitorRegistry

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    registry = MonitorRegistry(try HKHealthStore(storeAt: path))
    try await registry.enrol(
      EnrolledMonitor(
        address: strap, isBonded: true, enrolled: ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)))
    try registry.becomeGateway()
  }

  /// What `hrgate monitors` prints of the monitor's state, bond and adapter.
  private func shown() throws -> [String] {
    let monitor = try #require(
      try Command.hrgate("monitors", "--store", path, "--json").objects().first)
    return ["\(monitor["state"] ?? "-")", "\(monitor["bonded"] ?? "-")", "\(monitor["adapter"] ?? "-")"]
  }

  private func monitor(where condition: (EnrolledMonitor) -> Bool) async throws -> EnrolledMonitor {
    while true {
      if let monitor = try await registry.monitor(strap), condition(monitor) { return monitor }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @Test func `the store says how far the gateway is, by which adapter, and that the bond is lost`()
    async throws
  {
    #expect(try shown() == ["-", "1", "-"])
    let keeper = StatusKeeper(registry, pause: .milliseconds(1))
    try await withThrowingTaskGroup { group in
      group.addTask { await keeper.run() }
      keeper.tell(FollowStatus(monitor: strap, state: .following, adapter: adapter))
      let following = try await monitor { $0.state != nil }
      #expect(following.state == "following" && following.adapter == adapter && following.isBonded)
      // The state that comes at once behind it does not hide it.
      keeper.tell(FollowStatus(monitor: strap, state: .bondLost, adapter: adapter))
      keeper.tell(FollowStatus(monitor: strap, state: .away))
      let away = try await monitor { $0.state == "away" }
      #expect(!away.isBonded && away.adapter == adapter)
      group.cancelAll()
    }
    #expect(try shown() == ["away", "0", adapter.description])
    await keeper.end()
    #expect(try shown() == ["stopped", "0", adapter.description])
  }

  @Test func `what a killed gateway left is of the past when the next one begins`() async throws {
    try await registry.updateStatus(of: strap, adapter: adapter, state: "following")
    await StatusKeeper(registry).begin()
    #expect(try shown() == ["stopped", "1", adapter.description])
  }

  @Test func `a monitor that no gateway has followed has no state, also when one ends`() async throws {
    let keeper = StatusKeeper(registry)
    await keeper.end()
    #expect(try shown() == ["-", "1", "-"])
    // Nor is one enrolled by what is told of it.
    try await registry.forget(strap)
    keeper.tell(FollowStatus(monitor: strap, state: .away))
    await keeper.end()
    #expect(try await registry.monitors().isEmpty)
  }

  @Test func `what the store says already is not written again, and no attempt to connect`()
    async throws
  {
    let keeper = StatusKeeper(registry)
    keeper.tell(FollowStatus(monitor: strap, state: .connecting))
    await keeper.keepPending()
    #expect(try await registry.monitor(strap)?.state == "away")
    // Somebody else's word shows whether anything is written.
    try await registry.updateStatus(of: strap, state: "marked")
    for state in [FollowState.connecting, .away, .connecting, .away] {
      keeper.tell(FollowStatus(monitor: strap, state: state))
      await keeper.keepPending()
    }
    #expect(try await registry.monitor(strap)?.state == "marked")
    keeper.tell(FollowStatus(monitor: strap, state: .following, adapter: adapter))
    await keeper.keepPending()
    #expect(try await registry.monitor(strap)?.state == "following")
    // One that was forgotten and enrolled again is told anew.
    try await registry.updateStatus(of: strap, state: "marked")
    keeper.enrolmentsChanged()
    keeper.tell(FollowStatus(monitor: strap, state: .following, adapter: adapter))
    await keeper.keepPending()
    #expect(try await registry.monitor(strap)?.state == "following")
  }

  @Test func `what a locked store refuses is kept when it is free again`() async throws {
    let keeper = StatusKeeper(registry)
    let lock = try StoreLock(path)
    keeper.tell(FollowStatus(monitor: strap, state: .bondLost, adapter: adapter))
    await keeper.keepPending()
    #expect(try await registry.monitor(strap)?.state == nil)
    keeper.tell(FollowStatus(monitor: strap, state: .away))
    try lock.release()
    await keeper.keepPending()
    let away = try #require(try await registry.monitor(strap))
    #expect(away.state == "away" && !away.isBonded && away.adapter == adapter)
  }
}
