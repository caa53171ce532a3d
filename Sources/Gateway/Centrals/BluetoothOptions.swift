import BlueZ
public import Bluetooth

/// How a gateway uses the Bluetooth of this machine.
public struct BluetoothOptions: Sendable {
  /// Use this adapter only; `nil` for any, and another when one goes.
  public var adapter: BluetoothAddress?
  /// Set the monitors' energy totals to 0 when they are first connected to.
  public var resetsEnergy = false
  /// Begin also if there is no bus, bluetoothd or adapter yet, and wait for it.
  public var waits = false

  public init() {}

  /// - Throws: `BlueZUnavailable` if something is missing and is not to be waited for.
  func central(on terms: FollowingTerms) async throws -> BlueZFollowing {
    if !waits { try await BlueZHost.with(adapter: adapter) { _ in } }
    let central = BlueZCentral(
      adapter: adapter, clock: terms.clock, gathering: terms.gathering, hear: terms.hear,
      tell: terms.report)
    return BlueZFollowing(central: central, resetsEnergy: resetsEnergy)
  }
}
