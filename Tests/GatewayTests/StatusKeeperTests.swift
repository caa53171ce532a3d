import BlueZ
import Bluetooth
import Foundation
import HealthKit
import Testing

@testable import Gateway
@testable import TestSupport

private let strap = BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random)
private let adapter = BluetoothAddress(bits: 0x1B_DC0A_0B01, kind: .publicDevice)

@Suite(.timeLimit(.minutes(30))) struct StatusKeeperTests {
  private let folder: TemporaryFolder
  private let path: String
  private let registry: MonitorRegistry

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    registry = try MonitorRegistry(at: .file(path))
    try await registry.enrol(
      EnrolledMonitor(
        address: strap, isBonded: true, enrolled: ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)))
    try await registry.becomeGateway()
  }

  /// Returns the stored state, bond and adapter of the monitor.
  private func kept() async throws -> [String] {
    let monitor = try #require(try await registry.monitors().first)
    return [
      monitor.state?.rawValue ?? "-", monitor.isBonded ? "bonded" : "unbonded",
      monitor.adapter?.description ?? "-",
    ]
  }

  private func monitor(where condition: (EnrolledMonitor) -> Bool) async throws -> EnrolledMonitor {
    var kept: EnrolledMonitor?
    _ = try await eventually {
      kept = try await registry.monitor(strap)
      return kept.map(condition) ?? false
    }
    return try #require(kept.flatMap { condition($0) ? $0 : nil })
  }

  @Test func `the store has the connection state, the adapter, and whether the bond is lost`()
    async throws
  {
    #expect(try await kept() == ["-", "bonded", "-"])
    let keeper = StatusKeeper(registry, pause: .milliseconds(1))
    try await withThrowingTaskGroup { group in
      group.addTask { await keeper.run() }
      keeper.note(FollowStatus(monitor: strap, state: .following, adapter: adapter))
      let following = try await monitor { $0.state != nil }
      #expect(
        following.state == MonitorState(.following) && following.adapter == adapter && following.isBonded)
      // The lost bond is stored although another state follows immediately.
      keeper.note(FollowStatus(monitor: strap, state: .bondLost, adapter: adapter))
      keeper.note(FollowStatus(monitor: strap, state: .away))
      let away = try await monitor { $0.state == MonitorState(.away) }
      #expect(!away.isBonded && away.adapter == adapter)
      group.cancelAll()
    }
    #expect(try await kept() == ["away", "unbonded", adapter.description])
    await keeper.end()
    #expect(try await kept() == ["stopped", "unbonded", adapter.description])
  }

  @Test func `a bond that works again is stored, and so is one made by another program`()
    async throws
  {
    let keeper = StatusKeeper(registry)
    keeper.note(FollowStatus(monitor: strap, state: .bondLost, adapter: adapter))
    await keeper.keepPending()
    #expect(try await kept() == ["bond-lost", "unbonded", adapter.description])
    // A state without a link leaves the bond and adapter unchanged.
    keeper.note(FollowStatus(monitor: strap, state: .away))
    await keeper.keepPending()
    #expect(try await kept() == ["away", "unbonded", adapter.description])
    keeper.note(FollowStatus(monitor: strap, state: .following, adapter: adapter, isBonded: true))
    await keeper.keepPending()
    #expect(try await kept() == ["following", "bonded", adapter.description])
  }

  @Test func `the state left by a killed gateway is reset when the next one starts`() async throws {
    try await registry.updateStatus(of: strap, adapter: adapter, state: MonitorState(.following))
    await StatusKeeper(registry).begin()
    #expect(try await kept() == ["stopped", "bonded", adapter.description])
  }

  @Test func `a monitor that was never followed has no state, also when a gateway ends`() async throws {
    let keeper = StatusKeeper(registry)
    await keeper.end()
    #expect(try await kept() == ["-", "bonded", "-"])
    // A status of a monitor that was removed does not enroll it again.
    try await registry.forget(strap)
    keeper.note(FollowStatus(monitor: strap, state: .away))
    await keeper.end()
    #expect(try await registry.monitors().isEmpty)
  }

  @Test func `an unchanged state is not written again, and neither is an attempt to connect`()
    async throws
  {
    let marked = MonitorState(rawValue: "marked")
    let keeper = StatusKeeper(registry)
    keeper.note(FollowStatus(monitor: strap, state: .connecting))
    await keeper.keepPending()
    #expect(try await registry.monitor(strap)?.state == MonitorState(.away))
    // Store another state as another process would. It stays unless the keeper writes.
    try await registry.updateStatus(of: strap, state: marked)
    for state in [FollowState.connecting, .away, .connecting, .away] {
      keeper.note(FollowStatus(monitor: strap, state: state))
      await keeper.keepPending()
    }
    #expect(try await registry.monitor(strap)?.state == marked)
    keeper.note(FollowStatus(monitor: strap, state: .following, adapter: adapter))
    await keeper.keepPending()
    #expect(try await registry.monitor(strap)?.state == MonitorState(.following))
    // The current state is written again for a monitor that was forgotten and enrolled again.
    try await registry.updateStatus(of: strap, state: marked)
    keeper.enrolmentsChanged()
    keeper.note(FollowStatus(monitor: strap, state: .following, adapter: adapter))
    await keeper.keepPending()
    #expect(try await registry.monitor(strap)?.state == MonitorState(.following))
  }

  @Test func `the last noted state is stored at the end`() async throws {
    let keeper = StatusKeeper(registry)
    keeper.note(FollowStatus(monitor: strap, state: .bondLost, adapter: adapter))
    await keeper.end()
    #expect(try await kept() == ["stopped", "unbonded", adapter.description])
  }

  @Test func `a state that a locked store rejects is stored once it is unlocked`() async throws {
    let keeper = StatusKeeper(registry)
    let lock = try StoreLock(path)
    keeper.note(FollowStatus(monitor: strap, state: .bondLost, adapter: adapter))
    await keeper.keepPending()
    #expect(try await registry.monitor(strap)?.state == nil)
    keeper.note(FollowStatus(monitor: strap, state: .away))
    try lock.release()
    await keeper.keepPending()
    let away = try #require(try await registry.monitor(strap))
    #expect(away.state == MonitorState(.away) && !away.isBonded && away.adapter == adapter)
  }
}
