import BlueZ
import Bluetooth
import Foundation
import Gateway
import HealthKit
import Ingestion

/// Code blocks of the docstrings of `Gateway` and `BlueZ`. They use the user's own store and the Bluetooth of the
/// machine, so they are compiled but not run.
enum GatewayPrograms {
  static func pairing(_ registry: MonitorRegistry) async throws {
    let pairing = MonitorPairing(registry)
    try await pairing.scan(for: .seconds(10)) { monitors in print(monitors.map(\.address)) }
    let paired = try await pairing.pair("Polar H10 12345678")
    try await HeartRateGateway(registry).run()
    print(paired.monitor.address)
    for monitor in try await registry.monitors(named: "Polar H10 12345678") {
      print(try await pairing.forget(monitor.address))
    }
  }

  static func registry() async throws {
    let registry = try MonitorRegistry(at: .user)
    for monitor in try await registry.monitors() {
      print(monitor.address, monitor.name ?? "?", monitor.battery ?? 0)
    }
    for gap in try await registry.gaps(isOpen: false, last: 10) {
      print(gap.monitor, gap.start, gap.cause)
    }
  }

  static func measurements(_ registry: MonitorRegistry) async throws {
    let gateway = HeartRateGateway(registry)
    let events = gateway.events()
    let running = Task { try await gateway.run() }
    for await case .measured(let measurements) in events {
      for measurement in measurements { print(measurement.monitor, measurement.heartRate) }
    }
    try await running.value
  }

  /// The code block of `BlueZCentral`.
  static func central(_ address: BluetoothAddress) async throws {
    let central = BlueZCentral { print($0.monitor, $0.state) }
    await central.follow([FollowedMonitor(address: address)])
    async let following: Void = central.run()
    for try await events in central.events() {
      print(events.count, "events")
    }
    await following
  }

  static func events(_ gateway: HeartRateGateway) async {
    for await event in gateway.events() {
      switch event {
      case .state(let status): print(status.monitor, status.state)
      case .ended(let account): print("\(account.storedMeasurements) of \(account.measurements) stored")
      default: break
      }
    }
  }

  static func states(_ gateway: HeartRateGateway) async {
    for await state in gateway.states() {
      for monitor in state.monitors {
        print(monitor.enrolled.name ?? "?", monitor.latest?.measurement.heartRate ?? 0)
      }
      if let failure = state.storeFailure { print(failure) }
    }
  }

  static func waiting(_ registry: MonitorRegistry) -> HeartRateGateway {
    var options = BluetoothOptions()
    options.waits = true
    let gateway = HeartRateGateway(registry, bluetooth: options)
    return gateway
  }

  static func frequentCommits(_ registry: MonitorRegistry) -> HeartRateGateway {
    var policy = LivePolicy()
    policy.commitInterval = .seconds(1)
    policy.waitsForAnother = true
    let gateway = HeartRateGateway(registry, policy: policy)
    return gateway
  }

  static func losses(_ gateway: HeartRateGateway) async throws {
    do {
      try await gateway.run()
    } catch let loss as LostMeasurementsError {
      print("\(loss.count) measurements lost:", loss.cause.localizedDescription)
    }
  }
}
