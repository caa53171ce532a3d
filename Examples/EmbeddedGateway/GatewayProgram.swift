import Bluetooth
import Gateway
import HealthKit
import Ingestion
import StrapSimulator

/// A gateway inside another program.
///
/// It scans for simulated straps, pairs with the first one, records half an hour of simulated time, and
/// prints the results. The store is in memory, or in the file given as an argument.
@main enum GatewayProgram {
  static func main() async throws {
    let file = CommandLine.arguments.dropFirst().first
    let store = try HKHealthStore(
      configuration: .init(location: file.map { .file($0) } ?? .memory, decision: .everything))
    let registry = try MonitorRegistry(store)

    // To use the Bluetooth adapter of this machine instead, write MonitorPairing(registry).
    let radio = SimulatedRadio(straps: [.sample(index: 0), .sample(index: 2)])
    let pairing = MonitorPairing(registry, radio: radio)
    try await pairing.scan(for: .seconds(10)) { seen in
      for monitor in seen { print("heard: \(monitor.address) \(monitor.name ?? "")") }
    }
    let paired = try await pairing.pair("Strap 1")
    let manufacturer = paired.monitor.deviceInformation[.manufacturerNameString] ?? ""
    print("paired: \(paired.monitor.address) \(manufacturer)")

    // To use the Bluetooth adapter of this machine instead, write HeartRateGateway(registry).
    let central = SimulatedCentral(
      straps: radio.straps.filter { $0.address == paired.monitor.address }, duration: .seconds(1800), seed: 1,
      start: ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000))
    let gateway = HeartRateGateway(registry, central: central)
    let events = gateway.events()
    async let watching: Void = watch(events)
    try await gateway.run()
    await watching

    let heartRates = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))], sortDescriptors: []
    ).result(for: store)
    print("\(heartRates.count) heart rates in the store, \(try await registry.gaps().count) gaps")
  }

  private static func watch(_ events: AsyncStream<GatewayEvent>) async {
    for await case .ended(let account) in events {
      let rejected = account.rejected.values.reduce(0, +)
      print(
        "\(account.measurements) measurements: \(account.storedMeasurements) stored, "
          + "\(account.duplicates) duplicates, \(rejected) rejected")
    }
  }
}
