package import Bluetooth
import HealthKit
import HealthSystem
import Ingestion

extension MonitorRegistry {
  /// Returns the names of monitors: of all that are enrolled, and of those in `addresses` that were
  /// enrolled or appear in recordings, by the name of the source of their samples. Monitors without a name
  /// are missing.
  /// - Throws: `HKError`.
  package func names(of addresses: some Sequence<BluetoothAddress>) async throws -> [BluetoothAddress: String]
  {
    var names: [BluetoothAddress: String] = [:]
    for monitor in try await monitors() { names[monitor.address] = monitor.name }
    let missing = Set(addresses).subtracting(names.keys)
    // Scans all samples, so only if a name is missing.
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
