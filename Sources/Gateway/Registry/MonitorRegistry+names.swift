package import Bluetooth
import HealthKit
import HealthSystem
import Ingestion

extension MonitorRegistry {
  /// What the monitors are called: those that are enrolled, and those that were or that a recording measured,
  /// by the name under which their samples are stored. One without a name is not in it.
  /// - Throws: `HKError`.
  package func names(of addresses: some Sequence<BluetoothAddress>) async throws -> [BluetoothAddress: String]
  {
    var names: [BluetoothAddress: String] = [:]
    for monitor in try await monitors() { names[monitor.address] = monitor.name }
    let missing = Set(addresses).subtracting(names.keys)
    // Looks at every sample, so only where a name is missing.
    guard !missing.isEmpty else { return names }
    let sources = Dictionary(
      try await store.sampleCounts().map { ($0.source.bundleIdentifier, $0.source.name) },
      uniquingKeysWith: { first, _ in first })
    for address in missing {
      names[address] = sources[MonitorDescription.sourceIdentifier(of: address.description)]
    }
    return names
  }
}
