import BlueZ
import Bluetooth
import ExternalStores
import Foundation
import Gateway
import HealthDataSync
import HealthKit
import HealthSystem
import Ingestion

/// Publishes the live state of a running gateway's monitors to an MQTT broker.
struct LiveBroadcast: Sendable {
  private let destination: SyncDestination
  private let gateway: HeartRateGateway
  private let report: @Sendable (ExternalStoreError?) -> Void

  /// Interval at which a rejected secret is read again.
  private static let pause = Duration.seconds(30)

  /// Creates a broadcast, or returns `nil` if the destination is not an MQTT broker.
  ///
  /// - Parameter report: Called with the error when publishing fails, and with `nil` when it works again.
  init?(
    _ destination: SyncDestination, of gateway: HeartRateGateway,
    reporting report: @escaping @Sendable (ExternalStoreError?) -> Void
  ) {
    guard destination.kind == "mqtt" else { return nil }
    self.destination = destination
    self.gateway = gateway
    self.report = report
  }

  /// Publishes until the task is canceled, and records publishing errors in the store.
  func run() async {
    let (failures, failure) = AsyncStream.makeStream(
      of: ExternalStoreError?.self, bufferingPolicy: .bufferingNewest(1))
    failure.yield(nil)
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await latest in failures {
          report(latest)
          await note(latest)
        }
      }
      await publish { failure.yield($0) }
      failure.finish()
    }
    // Clear the recorded error: a stopped gateway is not expected to publish.
    await Task { await note(nil) }.value
  }

  private func note(_ failure: ExternalStoreError?) async {
    let destinations = try? SyncDestinations(gateway.registry.store.healthStore)
    try? await destinations?.recordLiveFailure(failure, of: destination.name)
  }

  private func publish(_ report: @escaping @Sendable (ExternalStoreError?) -> Void) async {
    guard let address = try? MQTTAddress(destination.address) else { return }
    let secret = DestinationSecret(destination: destination.name, file: destination.secretFile)
    while !Task.isCancelled {
      // The sync of samples reports an unreadable secret, so it is not reported here.
      if let password = try? secret.read() {
        await run(address, password, secret, report)
      } else if secret.file == nil {
        await run(address, nil, secret, report)
      } else {
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  /// Publishes until the secret has changed after the broker rejected the current one.
  private func run(
    _ address: MQTTAddress, _ password: String?, _ secret: DestinationSecret,
    _ report: @escaping @Sendable (ExternalStoreError?) -> Void
  ) async {
    let publisher = LivePublisher(
      address, password: password, destination,
      states: FollowState.allCases.map(\.rawValue) + [MonitorState.stopped.rawValue])
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await publisher.run(reporting: report) }
      group.addTask { await follow { publisher.publish($0) } }
      group.addTask {
        repeat {
          try? await Task.sleep(for: Self.pause)
        } while !Task.isCancelled
          && (publisher.failure?.outlook != .lasting || (try? secret.read()) == password)
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// Passes on the state of all monitors, now and after each update from the gateway.
  private func follow(_ publish: ([LiveMonitor]) -> Void) async {
    let updates = gateway.updates()
    // Start from the store: the first events may have been emitted before the subscription.
    if let enrolled = try? await gateway.registry.monitors() {
      publish(enrolled.map { LiveMonitor(GatewayState.Monitor(person: gateway.person, enrolled: $0)) })
    }
    for await update in updates {
      switch update.event.event {
      case .waiting, .committed: continue
      default: publish(Self.monitors(of: gateway.person, in: update.state))
      }
    }
  }

  /// Returns a person's monitors. The state has those of all people whose gateways this process runs.
  static func monitors(of person: String?, in state: GatewayState) -> [LiveMonitor] {
    state.monitors.filter { $0.person == person }.map { LiveMonitor($0) }
  }
}

extension LiveMonitor {
  init(_ monitor: GatewayState.Monitor, now: SystemClocks = .now(), instant: ContinuousClock.Instant = .now) {
    let enrolled = monitor.enrolled
    let state = monitor.status?.state.rawValue ?? enrolled.state?.rawValue ?? MonitorState.stopped.rawValue
    self.init(
      address: enrolled.address.description, source: enrolled.sourceIdentifier, name: enrolled.name,
      state: state,
      isFollowed: state == FollowState.following.rawValue)
    device = enrolled.description.device
    serialNumber = enrolled.deviceInformation[.serialNumberString]
    detail = monitor.status?.detail
    advice = monitor.advice
    battery = monitor.battery ?? enrolled.battery
    signal = monitor.signal.map { Signal(rssi: $0.rssi, time: $0.time.date) }
    measurement = monitor.latest.map { latest in
      Measurement(
        time: latest.measurement.receiptTime.date,
        received: instant
          - .seconds(Age.seconds(of: latest.measurement.receiptTime, emitted: latest.emitted, now: now)),
        heartRate: latest.measurement.heartRate, hasContact: latest.measurement.hasContact,
        intervals: latest.measurement.intervals)
    }
  }
}
