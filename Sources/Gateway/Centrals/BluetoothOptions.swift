import BlueZ
public import Bluetooth

/// How a gateway uses the Bluetooth of this machine.
///
/// ```swift
/// var options = BluetoothOptions()
/// options.waits = true
/// let gateway = HeartRateGateway(registry, bluetooth: options)
/// ```
public struct BluetoothOptions: Sendable {
  /// The only adapter to use. If `nil`, any adapter is used, with a switch to another one when it disappears.
  public var adapter: BluetoothAddress?
  /// Whether to reset each monitor's total of expended energy to 0 when it first connects.
  public var resetsEnergy = false
  /// Whether to wait if the bus, bluetoothd or the adapter is missing at the start, instead of throwing an
  /// error.
  public var waits = false

  public init() {}

  /// - Throws: `BlueZUnavailableError` if the bus, bluetoothd or the adapter is missing and ``waits`` is
  ///   `false`.
  func central(on terms: FollowingTerms) async throws -> BlueZFollowing {
    if !waits { try await BlueZHost.with(adapter: adapter) { _ in } }
    let central = BlueZCentral(
      adapter: adapter, clock: terms.clock, gathering: terms.gathering, hear: terms.hear,
      report: terms.report)
    return BlueZFollowing(central: central, adapter: adapter, resetsEnergy: resetsEnergy)
  }
}

/// A ``FollowingCentral`` that follows monitors through bluetoothd, on the adapters of this machine.
struct BlueZFollowing: FollowingCentral {
  let central: BlueZCentral
  let adapter: BluetoothAddress?
  let resetsEnergy: Bool

  func events() -> BlueZCentral.ThrowingEvents { central.events() }

  func follow(_ monitors: [EnrolledMonitor]) async {
    await central.follow(
      monitors.map { monitor in
        FollowedMonitor(
          address: monitor.address, name: monitor.name, preferredAdapter: monitor.adapter,
          isBonded: monitor.isBonded, resetsEnergy: resetsEnergy)
      })
  }

  func run() async { await central.run() }
  func stop() async { await central.stop() }
  func respondToProbe() async { await central.respondToProbe() }

  func trustedMonitors() async throws -> [EnrolledMonitor] {
    try await BlueZHost.with(adapter: adapter) { host in
      await host.trustedMonitors().map { trusted in
        var monitor = EnrolledMonitor(
          address: trusted.address, name: trusted.name, isBonded: trusted.isBonded,
          enrolled: SystemClocks.now().wall)
        monitor.adapter = host.adapter
        return monitor
      }
    }
  }
}
