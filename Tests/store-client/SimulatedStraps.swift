import Bluetooth
import BluetoothCentral
import GATT
import Gateway
import HealthKit
import StrapSimulator

/// Two simulated straps, hours of whose time pass in a second, and their gateway.
struct SimulatedStraps {
  let seed: UInt64
  /// Microseconds since 1970.
  let start: Int64

  func measure(into store: HKHealthStore) async throws {
    let registry = try MonitorRegistry(store)
    let start = ReceiptTime(microsecondsSince1970: start)
    let straps = (0..<2).map(StrapProfile.sample(index:))
    for strap in straps where try await registry.monitor(strap.address) == nil {
      try await registry.enrol(
        EnrolledMonitor(address: strap.address, name: strap.name, isBonded: false, enrolled: start))
    }
    var policy = LivePolicy()
    policy.commitInterval = .milliseconds(3)
    policy.derivesFigures = false
    let central = SimulatedCentral(straps: straps, duration: .seconds(86_400), seed: seed, start: start)
    try await HeartRateGateway(registry, central: SpokenCentral(central: central), policy: policy).run()
  }
}

/// Gives event after event, and says each frame before that: a strap sends it whatever becomes of the gateway.
private struct SpokenCentral: Central {
  let central: SimulatedCentral

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: [CentralEvent].self)
    let task = Task {
      do {
        for try await batch in central.events() {
          for event in batch {
            if case .notified(let notification) = event { try say(notification) }
            continuation.yield([event])
            try await Task.sleep(for: .microseconds(200))
          }
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  private func say(_ notification: ValueNotification) throws {
    let frame = try HeartRateMeasurement(decoding: notification.value)
    let isStored = frame.sensorContact != .notDetected && frame.heartRate > 0
    let intervals = frame.rrTicks.map { "\($0)" }.joined(separator: ",")
    StoreClient.say(
      "\(notification.peripheral) \(notification.receiptTime.microsecondsSince1970) "
        + "\(isStored ? "\(frame.heartRate)" : "-") \(intervals)")
  }
}
