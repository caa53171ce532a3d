import BlueZ
import Bluetooth
import BluetoothCentral
import Foundation
import Gateway
import HealthDataSync
import SyncMQTT

/// Tells a broker how things are with the monitors of a running gateway, as they are.
struct LiveBroadcast: Sendable {
  private let destination: SyncDestination
  private let gateway: HeartRateGateway

  /// How often it is looked whether a secret that does not serve was changed.
  private static let pause = Duration.seconds(30)

  /// nil where the destination is no broker.
  init?(_ destination: SyncDestination, of gateway: HeartRateGateway) {
    guard destination.kind == "mqtt" else { return nil }
    self.destination = destination
    self.gateway = gateway
  }

  /// Until the task is cancelled.
  func run() async {
    guard let address = try? MQTTAddress(destination.address) else { return }
    let secret = DestinationSecret(destination: destination.name, file: destination.secretFile)
    while !Task.isCancelled {
      // Why there is none the samples' part says, with the remedy.
      if let password = try? secret.read() {
        await run(address, password, secret)
      } else if secret.file == nil {
        await run(address, nil, secret)
      } else {
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  /// Until the secret is another, and the one there was does not serve.
  private func run(_ address: MQTTAddress, _ password: String?, _ secret: DestinationSecret) async {
    let publisher = LivePublisher(
      address, password: password, destination,
      states: FollowState.allCases.map(\.rawValue) + [MonitorState.stopped.rawValue])
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await publisher.run() }
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

  /// Tells how things are, now and whenever the gateway says something.
  private func follow(_ tell: ([LiveMonitor]) -> Void) async {
    let events = gateway.timedEvents()
    var state = RunState(of: gateway.person)
    // What was told before is in the store.
    if let enrolled = try? await gateway.registry.monitors() {
      state.receive(TimedGatewayEvent(told: .now(), person: gateway.person, event: .enrolled(enrolled)))
      tell(state.monitors.map { LiveMonitor($0) })
    }
    for await event in events {
      state.receive(event)
      if case .committed = event.event { continue }
      tell(state.monitors.map { LiveMonitor($0) })
    }
  }
}

extension LiveMonitor {
  init(_ monitor: RunState.Monitor, now: SystemClocks = .now(), instant: ContinuousClock.Instant = .now) {
    let enrolled = monitor.enrolled
    let state = monitor.status?.state.rawValue ?? enrolled.state?.rawValue ?? MonitorState.stopped.rawValue
    self.init(
      address: enrolled.address.description, source: enrolled.sourceIdentifier, name: enrolled.name,
      state: state,
      isFollowed: state == FollowState.following.rawValue)
    manufacturer = enrolled.manufacturer
    model = enrolled.model
    serialNumber = enrolled.serialNumber
    hardwareRevision = enrolled.hardwareRevision
    firmwareRevision = enrolled.firmwareRevision
    softwareRevision = enrolled.softwareRevision
    detail = monitor.status?.detail
    advice = monitor.status?.state.advice
    battery = monitor.battery ?? enrolled.battery
    signal = monitor.signal.map { Signal(rssi: $0.rssi, time: $0.time.date) }
    measurement = monitor.latest.map { latest in
      Measurement(
        time: latest.measurement.receiptTime.date,
        received: instant
          - .seconds(Age.seconds(of: latest.measurement.receiptTime, told: latest.told, now: now)),
        heartRate: latest.measurement.heartRate, hasContact: latest.measurement.hasContact,
        intervals: latest.measurement.intervals)
    }
  }
}
