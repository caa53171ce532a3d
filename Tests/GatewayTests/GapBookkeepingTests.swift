import Bluetooth
import HealthKit
import Ingestion
import Testing

@testable import Gateway

private func time(_ seconds: Int64) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + seconds * 1_000_000)
}

/// Runs random sequences of events of three straps through the pipeline and compares the stored gaps with the
/// expected ones.
@Suite(.timeLimit(.minutes(30))) struct GapBookkeepingTests {
  /// A frame or gap event of a strap.
  private enum Step: Equatable {
    case frame(ReceiptTime)
    case gap(GapCause)
  }

  private struct Story: Central {
    var batches: [[CentralEvent]] = []
    var steps: [BluetoothAddress: [Step]] = [:]

    init(seed: UInt64) {
      var random = Random(state: seed)
      let straps = (1...3).map { BluetoothAddress(bits: $0, kind: .random) }
      let causes: [GapCause] = [.linkLoss, .silence, .daemonAbsent, .adapterOff, .clockStep]
      for number in 0..<400 {
        let strap = straps[random.below(3)]
        let now = time(Int64(number))
        let peripheral = PeripheralIdentity.address(strap)
        var batch: [CentralEvent] = []
        switch random.below(12) {
        case 0:
          let cause = causes[random.below(causes.count)]
          batch = [.gapBegan(peripheral, cause, now)]
          steps[strap, default: []].append(.gap(cause))
          if cause == .linkLoss { batch.append(.disconnected(peripheral, now)) }
        case 1: batch = [.described(peripheral)]
        default:
          let rate: UInt16 = random.below(9) == 0 ? 0 : 60
          batch = [
            .notified(
              ValueNotification(
                peripheral: peripheral, characteristic: .heartRateMeasurement,
                value: HeartRateMeasurement(heartRate: rate, rrTicks: [1000]).encoded, receiptTime: now))
          ]
          steps[strap, default: []].append(.frame(now))
        }
        batches.append(batch)
      }
    }

    func events() -> AsyncThrowingStream<[CentralEvent], any Error> {
      AsyncThrowingStream { continuation in
        for batch in batches { continuation.yield(batch) }
        continuation.finish()
      }
    }

    /// Returns the expected gaps by definition: two frames with a gap event between them are the ends of one
    /// gap, which has the cause of the first event.
    func gaps(of strap: BluetoothAddress) -> [MonitorGap] {
      var gaps: [MonitorGap] = []
      var last: ReceiptTime?
      var cause: GapCause?
      for step in steps[strap, default: []] {
        switch step {
        case .gap(let began):
          if last != nil { cause = cause ?? began }
        case .frame(let time):
          if let last, let cause {
            gaps.append(MonitorGap(monitor: strap, start: last, end: time, cause: cause))
          }
          cause = nil
          last = time
        }
      }
      if let last, let cause { gaps.append(MonitorGap(monitor: strap, start: last, cause: cause)) }
      return gaps
    }
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `each period with a gap event is one recorded gap, and a second run changes nothing`(seed: UInt64)
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let registry = try MonitorRegistry(store)
    let story = Story(seed: seed)
    for _ in 0..<2 {
      var pipeline = IngestionPipeline(store: store)
      let (tally, failure) = await pipeline.run(story)
      #expect(failure == nil && tally.isBalanced)
      for strap in story.steps.keys {
        #expect(try await registry.gaps(of: strap) == story.gaps(of: strap))
      }
    }
  }

  @Test func `gaps are stored with the samples around them, and not in a dry run`() async throws {
    let store = try HKHealthStore.inMemory()
    let story = Story(seed: 5)
    var pipeline = IngestionPipeline(store: nil)
    let dry = await pipeline.run(story).tally
    #expect(try await MonitorRegistry(store).gaps().isEmpty)
    pipeline = IngestionPipeline(store: store)
    let wet = await pipeline.run(story).tally
    #expect(dry.stored == wet.stored && dry.rejected == wet.rejected)
    #expect(try await MonitorRegistry(store).gaps().count > 20)
  }
}

private struct Random {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }
}
