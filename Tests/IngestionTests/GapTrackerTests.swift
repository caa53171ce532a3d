import Bluetooth
import BluetoothCentral
import GATT
import HealthKit
import Testing

@testable import Ingestion

private func time(_ seconds: Int64) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + seconds * 1_000_000)
}

@Suite struct GapTrackerTests {
  @Test func `a gap reaches from the last frame before it to the first behind it`() {
    var gaps = GapTracker()
    gaps.receive(at: time(1))
    gaps.receive(at: time(2))
    gaps.begin(.silence, at: time(7))
    #expect(gaps.takeChanges() == [GapDraft(start: time(2), cause: .silence)])
    #expect(gaps.cause == .silence)
    gaps.begin(.linkLoss, at: time(9))
    #expect(gaps.takeChanges().isEmpty)
    gaps.receive(at: time(20))
    #expect(gaps.takeChanges() == [GapDraft(start: time(2), end: time(20), cause: .silence)])
    #expect(gaps.cause == nil)
    gaps.receive(at: time(21))
    #expect(gaps.takeChanges().isEmpty)
  }

  @Test func `before the first frame there is a gap only of a strap that is expected`() {
    var stranger = GapTracker()
    stranger.begin(.linkLoss, at: time(5))
    stranger.receive(at: time(6))
    #expect(stranger.takeChanges().isEmpty)
    var followed = GapTracker(isExpected: true)
    followed.begin(.adapterOff, at: time(5))
    followed.receive(at: time(6))
    #expect(
      followed.takeChanges() == [
        GapDraft(start: time(5), cause: .adapterOff),
        GapDraft(start: time(5), end: time(6), cause: .adapterOff),
      ])
  }

  @Test func `a gap that an earlier run left open ends with the first frame and keeps its cause`() {
    var gaps = GapTracker(
      inherited: [GapDraft(start: time(2), cause: .gatewayStopped)], lastMeasurement: time(2),
      isExpected: true)
    #expect(gaps.cause == .gatewayStopped)
    gaps.begin(.linkLoss, at: time(10))
    #expect(gaps.takeChanges().isEmpty)
    gaps.receive(at: time(20))
    #expect(gaps.takeChanges() == [GapDraft(start: time(2), end: time(20), cause: .gatewayStopped)])
  }

  @Test func `a run that was killed leaves a gap from its last commit on`() {
    var gaps = GapTracker(lastMeasurement: time(3), isExpected: true)
    gaps.receive(at: time(8))
    #expect(gaps.takeChanges() == [GapDraft(start: time(3), end: time(8), cause: .gatewayStopped)])
  }

  @Test func `frames of a recording from before an open gap leave it open`() {
    var gaps = GapTracker(inherited: [GapDraft(start: time(100), cause: .linkLoss)])
    gaps.receive(at: time(1))
    gaps.begin(.closedByPeripheral, at: time(2))
    #expect(gaps.takeChanges() == [GapDraft(start: time(1), cause: .closedByPeripheral)])
    gaps.receive(at: time(4))
    gaps.receive(at: time(120))
    #expect(
      gaps.takeChanges() == [
        GapDraft(start: time(1), end: time(4), cause: .closedByPeripheral),
        GapDraft(start: time(100), end: time(120), cause: .linkLoss),
      ])
  }

  @Test func `a gap that begins later than live frames ends with the first: the clock was set back`() {
    var gaps = GapTracker(
      inherited: [GapDraft(start: time(3600), cause: .gatewayStopped)], lastMeasurement: time(3600),
      isExpected: true)
    gaps.begin(.linkLoss, at: time(5))
    #expect(gaps.takeChanges().isEmpty && gaps.cause == .gatewayStopped)
    gaps.receive(at: time(10))
    #expect(gaps.takeChanges() == [GapDraft(start: time(3600), end: time(3600), cause: .gatewayStopped)])
    #expect(gaps.cause == nil && !gaps.isOpen)
    gaps.begin(.silence, at: time(20))
    gaps.receive(at: time(30))
    #expect(gaps.takeChanges().last == GapDraft(start: time(10), end: time(30), cause: .silence))
  }

  @Test func `of several gaps that were left open each ends where the next began`() {
    var gaps = GapTracker(inherited: [
      GapDraft(start: time(50), cause: .linkLoss), GapDraft(start: time(10), cause: .silence),
    ])
    gaps.receive(at: time(60))
    #expect(
      gaps.takeChanges() == [
        GapDraft(start: time(10), end: time(50), cause: .silence),
        GapDraft(start: time(50), end: time(60), cause: .linkLoss),
      ])
  }

  @Test func `frames that could not be kept are counted in their gap`() {
    var gaps = GapTracker()
    gaps.receive(at: time(1))
    for second in 2...5 { gaps.lose(.storeUnavailable, at: time(Int64(second))) }
    gaps.receive(at: time(6))
    #expect(
      gaps.takeChanges().last == GapDraft(start: time(1), end: time(6), cause: .storeUnavailable, lost: 4))
  }
}

/// Random orders of events of three straps through the pipeline, held against what must be in the store then.
@Suite(.timeLimit(.minutes(10))) struct GapBookkeepingTests {
  /// What a strap's frames and gap events were, in order.
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

    /// From the definition: between two frames with a gap event in between is one gap, with the first event's cause.
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
  func `each stretch with a gap event in it is one recorded gap, and again changes nothing`(seed: UInt64)
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let registry = MonitorRegistry(store)
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

  @Test func `gaps are stored with the samples around them, and in a dry run not at all`() async throws {
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
