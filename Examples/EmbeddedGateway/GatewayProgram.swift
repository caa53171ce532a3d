import Bluetooth
import Gateway
import HealthKit
import Ingestion
import StrapSimulator

/// The gateway inside another program: it follows a simulated strap for half an hour that takes a second,
/// into a store in memory or in the file that is named, and prints what came of it.
@main enum GatewayProgram {
  static func main() async throws {
    let file = CommandLine.arguments.dropFirst().first
    let store = try HKHealthStore(
      configuration: .init(location: file.map { .file($0) } ?? .memory, decision: .everything))
    let registry = try MonitorRegistry(store)

    let strap = StrapProfile.sample(index: 0)
    let start = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)
    try await registry.enrol(
      EnrolledMonitor(address: strap.address, name: strap.name, isBonded: false, enrolled: start))

    // For the Bluetooth of this machine: HeartRateGateway(registry)
    let central = SimulatedCentral(straps: [strap], duration: .seconds(1800), seed: 1, start: start)
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
