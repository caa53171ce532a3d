import Bluetooth
import Gateway
import HealthKit
import StrapSimulator

/// Two simulated straps and their gateway. Hours of strap time pass in a second.
struct SimulatedStraps {
  let seed: UInt64
  /// The start of the simulation in microseconds since 1970.
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

/// A central that never sends anything.
struct SilentCentral: Central {
  func events() -> AsyncThrowingStream<[CentralEvent], any Error> {
    AsyncThrowingStream { continuation in
      // Without a reference to it, the stream would end.
      continuation.onTermination = { _ in withExtendedLifetime(continuation) {} }
    }
  }
}

/// Emits events one at a time and prints each frame before it is emitted, because a strap sends it even if
/// the gateway is killed.
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

/// One simulated strap that sends once a second, with intervals, and its gateway with the default policy.
/// Time passes `speed` times as fast; the pauses of the policy are divided by `speed`.
struct TimedStrap {
  let seed: UInt64
  let duration: Duration
  let speed: Int

  func measure(into store: HKHealthStore) async throws {
    let registry = try MonitorRegistry(store)
    let now = SystemClocks.now().wall.microsecondsSince1970
    let start = ReceiptTime(microsecondsSince1970: now - duration.components.seconds * 1_000_000)
    let strap = StrapProfile.sample(index: 0)
    try await registry.enrol(
      EnrolledMonitor(address: strap.address, name: strap.name, isBonded: false, enrolled: start))
    var policy = LivePolicy()
    policy.commitInterval /= speed
    policy.derivationPause /= speed
    policy.condensingPause /= speed
    let central = SimulatedCentral(straps: [strap], duration: duration, seed: seed, start: start)
    try await HeartRateGateway(
      registry, central: PacedCentral(central: central, speed: speed), policy: policy
    )
    .run()
  }
}

/// A central that emits each event when its time has come.
private struct PacedCentral: Central {
  let central: SimulatedCentral
  let speed: Int

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: [CentralEvent].self)
    let task = Task {
      do {
        let clock = ContinuousClock()
        let begin = clock.now
        var first: Int64?
        for try await batch in central.events() {
          for event in batch {
            if case .notified(let notification) = event {
              let time = notification.receiptTime.microsecondsSince1970
              let elapsed = time - (first ?? time)
              first = first ?? time
              try await clock.sleep(until: begin + .microseconds(elapsed) / speed)
              StoreClient.say("\(time)")
            }
            continuation.yield([event])
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
}
