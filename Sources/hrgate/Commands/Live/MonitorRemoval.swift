import BlueZ
import Bluetooth
import Gateway
import Ingestion

/// Forgets a monitor that is enrolled, for whoever asks: `hrgate forget`, or somebody on the page.
struct MonitorRemoval: Sendable {
  let registry: MonitorRegistry
  /// The bond goes also where another program follows the monitor.
  let isForAll: Bool
  /// Gets what is to be known, as sentences.
  let tell: @Sendable (String) -> Void

  /// So long a gateway on this store may take to let go of the monitor.
  private static let letGo = Duration.seconds(15)

  /// - Throws: `HKError`; ``Failure`` where bluetoothd keeps the bond.
  func forget(_ address: BluetoothAddress) async throws {
    let settings = try await registry.monitor(address)?.settings
    // First of all the gateway stops following it, so that it does not connect again.
    try await registry.forget(address)
    if let options = settings?.options {
      tell("Its settings (\(options)) were forgotten, too. hrgate monitors set declares them again.")
    }
    try await forgetBond(of: address, patience: registry.hasGateway ? Self.letGo : .zero)
  }

  static func leftToOthers(_ address: String) -> String {
    "Another program of this machine follows it, so bluetoothd keeps it, with its bond. To take it away from all: hrgate forget \(address) --for-all"
  }

  private func forgetBond(of address: BluetoothAddress, patience: Duration) async throws {
    do {
      let outcome = try await BlueZHost.with { host in
        try await host.forget(address, isForAll: isForAll, patience: patience)
      }
      if outcome == .leftToOthers { tell(Self.leftToOthers(address.description)) }
    } catch let unavailable as BlueZUnavailable {
      tell("\(unavailable) Until then bluetoothd remembers the monitor: hrgate forget \(address)")
    } catch let error as NotifyAcquiredError {
      throw Failure(
        "\(address) is no longer enrolled, but bluetoothd still remembers it, with its bond (hrgate forget \(address) tries again). \(error)"
      )
    } catch let refusal as BlueZError where refusal.meaning != .objectGone {
      throw Failure(
        "\(address) is no longer enrolled, but bluetoothd still remembers it, with its bond: \(refusal). Try again: hrgate forget \(address)"
      )
    } catch is BlueZError {
      // Another program was faster.
    }
  }
}
