import Bluetooth
import HealthKit
import StrapSimulator
import Testing

@testable import Ingestion

/// Tests how a recording of several people's straps is divided among their stores.
@Suite struct DividedPipelineTests {
  private static let start = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)

  private let straps = (0..<3).map(StrapProfile.sample(index:))
  private var peers: [PeripheralIdentity] { straps.map { .address($0.address) } }

  private func central() -> SimulatedCentral {
    SimulatedCentral(straps: straps, duration: .seconds(600), seed: 11, start: Self.start)
  }

  private func sources(in store: HKHealthStore) async throws -> [String: Int] {
    let samples = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))], sortDescriptors: []
    ).result(for: store)
    return samples.reduce(into: [:]) { $0[$1.sourceRevision.source.name, default: 0] += 1 }
  }

  @Test func `each strap goes into one store, frames without an owner into none, and all are counted`()
    async throws
  {
    let stores = [try HKHealthStore.inMemory(), try HKHealthStore.inMemory()]
    let peers = peers
    func divide() async -> DividedPipeline.Outcome {
      var pipeline = DividedPipeline(stores.map { IngestionPipeline(store: $0) }) { peer, _ in
        peers.firstIndex(of: peer).flatMap { $0 < 2 ? .pipeline($0) : nil } ?? .nowhere(.unknownPerson)
      }
      return await pipeline.run(central())
    }
    let outcome = await divide()
    #expect(outcome.failure == nil && outcome.tally.isBalanced)
    #expect(outcome.places == [peers[0]: 0, peers[1]: 1])
    let leftOut = try #require(outcome.leftOut[peers[2]]?[.unknownPerson])
    #expect(outcome.leftOut.count == 1 && leftOut > 500)
    #expect(outcome.tally.rejected[.unknownPerson] == leftOut)
    #expect(Set(outcome.tally.monitors.map(\.name)) == Set(straps.map(\.name)))
    #expect(outcome.tally.monitors.map(\.measurements).reduce(0, +) == outcome.tally.measurements)
    for (store, strap) in zip(stores, straps) {
      // Each person's store has the samples that a replay of this strap alone would give.
      let alone = try HKHealthStore.inMemory()
      var pipeline = IngestionPipeline(store: alone)
      let (tally, _) = await pipeline.run(
        SimulatedCentral(straps: straps, duration: .seconds(600), seed: 11, start: Self.start))
      #expect(tally.isBalanced)
      #expect(try await sources(in: store) == sources(in: alone).filter { $0.key == strap.name })
    }
    // Replaying the recording a second time stores nothing.
    let again = await divide()
    #expect(again.tally.stored.isEmpty && again.tally.isBalanced)
    #expect(again.tally.measurements == outcome.tally.measurements)
  }

  @Test func `a frame is routed by its time, and repeated frames by the time of the last frame`() async throws
  {
    let stores = [try HKHealthStore.inMemory(), try HKHealthStore.inMemory()]
    let peer = PeripheralIdentity.address(BluetoothAddress(bits: 7, kind: .random))
    @Sendable func time(_ second: Int64) -> ReceiptTime {
      ReceiptTime(microsecondsSince1970: Self.start.microsecondsSince1970 + second * 1_000_000)
    }
    func frame(_ second: Int64) -> CentralEvent {
      .notified(
        ValueNotification(
          peripheral: peer, characteristic: .heartRateMeasurement, value: [0x06, 60],
          receiptTime: time(second)))
    }
    var pipeline = DividedPipeline(stores.map { IngestionPipeline(store: $0) }) { _, at in
      guard let at else { return .pipeline(1) }
      return at < time(2) ? .nowhere(.otherPerson) : .pipeline(at < time(4) ? 0 : 1)
    }
    let outcome = await pipeline.run(
      ListedCentral(batches: [
        [frame(0), .repeated(peer, count: 2), frame(1), frame(2), .repeated(peer, count: 1)],
        [frame(3), frame(4)],
      ]))
    #expect(outcome.failure == nil && outcome.tally.isBalanced)
    #expect(outcome.leftOut == [peer: [.otherPerson: 4]])
    #expect(outcome.tally.measurements == 8 && outcome.tally.duplicates == 1)
    #expect(outcome.tally.monitors.map(\.measurements) == [7])
    #expect(try await sources(in: stores[0]).values.reduce(0, +) == 2)
    #expect(try await sources(in: stores[1]).values.reduce(0, +) == 1)
  }
}
