import Bluetooth
import HealthKit
import StrapSimulator
import Testing

@testable import Ingestion

/// Runs simulated straps through the whole pipeline and compares the samples with the simulated hearts.
@Suite struct PipelineTests {
  private static let seed: UInt64 = 11
  private let start = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)

  private func strap(_ number: Int = 0, _ change: (inout StrapProfile) -> Void = { _ in }) -> StrapProfile {
    var strap = StrapProfile.sample(index: number)
    strap.contactLosses = .never
    strap.linkLosses = .never
    change(&strap)
    return strap
  }

  private func central(_ straps: [StrapProfile], _ duration: Duration = .seconds(600)) -> SimulatedCentral {
    SimulatedCentral(straps: straps, duration: duration, seed: Self.seed, start: start)
  }

  private func ingest(_ central: some Central, into store: HKHealthStore?) async throws -> IngestionTally {
    var pipeline = IngestionPipeline(store: store)
    let (tally, failure) = await pipeline.run(central)
    if let failure { throw failure }
    return tally
  }

  private func series(in store: HKHealthStore) async throws -> [HKHeartbeatSeriesSample] {
    try await HKSampleQueryDescriptor(
      predicates: [.heartbeatSeries()], sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
  }

  private func heartRates(in store: HKHealthStore) async throws -> [HKQuantitySample] {
    try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))],
      sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
  }

  private func beats(of series: HKHeartbeatSeriesSample, in store: HKHealthStore) async throws
    -> [HKHeartbeatSeriesQueryDescriptor.Heartbeat]
  {
    var beats: [HKHeartbeatSeriesQueryDescriptor.Heartbeat] = []
    for try await beat in HKHeartbeatSeriesQueryDescriptor(series).results(for: store) { beats.append(beat) }
    return beats
  }

  private func ticks(_ beats: [HKHeartbeatSeriesQueryDescriptor.Heartbeat]) -> [Int] {
    let ticks = beats.map { Int(($0.timeIntervalSinceStart * 1024).rounded()) }
    return zip(ticks.dropFirst(), ticks).map(-)
  }

  @Test func `every measurement is stored, a duplicate, or rejected for a reason`() async throws {
    let store = try HKHealthStore.inMemory()
    let straps = (0..<6).map(StrapProfile.sample(index:))
    let first = try await ingest(central(straps, .seconds(1800)), into: store)
    #expect(first.measurements > 8000)
    #expect(first.isBalanced)
    #expect(first.duplicates == 0)
    #expect(first.rejected[.contactNotDetected, default: 0] > 10)
    #expect(first.monitors.count == 6)
    #expect(try await heartRates(in: store).count == first.storedMeasurements)
    #expect(try await series(in: store).count == first.stored[SampleTypes.beats])

    let second = try await ingest(central(straps, .seconds(1800)), into: store)
    #expect(second.isBalanced)
    #expect(second.stored.isEmpty)
    #expect(second.duplicates == first.storedMeasurements)
    #expect(second.rejected == first.rejected)

    let dry = try await ingest(central(straps, .seconds(1800)), into: nil)
    #expect(dry.stored == first.stored)
    #expect(dry.isBalanced)
  }

  @Test func `each beat is stored with its original interval, in continuous parts`() async throws {
    let store = try HKHealthStore.inMemory()
    let strap = strap()
    _ = try await ingest(central([strap]), into: store)
    var stored: [Int] = []
    var end: Date?
    for series in try await series(in: store) {
      let beats = try await beats(of: series, in: store)
      #expect(beats.map(\.precededByGap) == [true] + repeatElement(false, count: beats.count - 1))
      #expect(beats.first?.timeIntervalSinceStart == 0)
      // Each part of the series starts where the previous one ended, within 45 ms, the accuracy of receipt
      // times.
      if let end { #expect(abs(series.startDate.timeIntervalSince(end)) < 0.045) }
      end = series.endDate
      stored += ticks(beats)
    }
    #expect(stored == Array(try await intervals(of: strap, in: central([strap]))))
    #expect(stored.count > 800)
  }

  /// Returns all intervals that a simulation notifies, in order.
  private func intervals(of strap: StrapProfile, in central: SimulatedCentral) async throws -> [Int] {
    var intervals: [Int] = []
    for try await batch in central.events() {
      for case .notified(let notification) in batch {
        intervals += try HeartRateMeasurement(decoding: notification.value).rrTicks.map(Int.init)
      }
    }
    return intervals
  }

  @Test func `beats have the time at which the heart beat, within the delay of the radio`() async throws {
    let store = try HKHealthStore.inMemory()
    let strap = strap()
    _ = try await ingest(central([strap]), into: store)
    let first = try #require(try await series(in: store).first)
    let beats = try await beats(of: first, in: store)
    // A beat is notified at most one period, one connection event and one retransmission after it was
    // detected. The earliest frame of a part determines its start, so the remaining error is small.
    let rates = try await heartRates(in: store)
    let firstReceipt = try #require(rates.first?.startDate)
    let delay = firstReceipt.timeIntervalSince(first.startDate)
    #expect((0.3...2.2).contains(delay))
    let duration = first.endDate.timeIntervalSince(first.startDate)
    #expect(abs(duration - beats[beats.count - 1].timeIntervalSinceStart) < 0.002)
  }

  @Test func `a lost link and lost contact end a series, and no interval is joined across`() async throws {
    for fault in 0..<2 {
      let store = try HKHealthStore.inMemory()
      let strap = strap {
        if fault == 0 { $0.linkLosses = .at([100..<112]) } else { $0.contactLosses = .at([100..<112]) }
      }
      let tally = try await ingest(central([strap], .seconds(200)), into: store)
      let series = try await series(in: store)
      #expect(series.count == 2)
      let gap = series[1].startDate.timeIntervalSince(series[0].endDate)
      #expect((9...22).contains(gap))
      #expect(tally.rejected == (fault == 0 ? [:] : [.contactNotDetected: 12]))
      for part in series {
        let beats = try await beats(of: part, in: store)
        #expect(ticks(beats).allSatisfy { $0 < 3000 })
      }
    }
  }

  @Test func `each strap is a separate source, and each sample has its device and sensor location`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    _ = try await ingest(central([strap(0), strap(1), strap(2)], .seconds(60)), into: store)
    for number in 0..<3 {
      let profile = StrapProfile.sample(index: number)
      let samples = try await heartRates(in: store).filter {
        $0.sourceRevision.source.bundleIdentifier == "org.hrgate.monitor.\(profile.address)"
      }
      #expect(samples.count > 50)
      for sample in samples {
        #expect(sample.sourceRevision.source.name == profile.name)
        #expect(sample.device?.name == profile.name)
        #expect(sample.device?.manufacturer == profile.deviceInformation[.manufacturerNameString])
        #expect(sample.device?.model == profile.deviceInformation[.modelNumberString])
        #expect(sample.device?.firmwareVersion == profile.deviceInformation[.firmwareRevisionString])
        #expect(sample.device?.hardwareVersion == profile.deviceInformation[.hardwareRevisionString])
        #expect(sample.device?.softwareVersion == profile.deviceInformation[.softwareRevisionString])
        let location = sample.metadata?[HKMetadataKeyHeartRateSensorLocation] as? NSNumber
        let expected: HKHeartRateSensorLocation = number == 2 ? .wrist : .chest
        #expect(location?.intValue == expected.rawValue)
      }
    }
  }

  @Test func `energy is stored as the difference from the previous total`() async throws {
    let store = try HKHealthStore.inMemory()
    let strap = strap()
    let tally = try await ingest(central([strap]), into: store)
    let samples = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.activeEnergyBurned))],
      sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
    #expect(samples.count == tally.stored[HKQuantityTypeIdentifier.activeEnergyBurned.rawValue])
    var totals: [UInt16] = []
    for try await batch in central([strap]).events() {
      for case .notified(let notification) in batch {
        if let total = try HeartRateMeasurement(decoding: notification.value).energyExpended {
          totals.append(total)
        }
      }
    }
    let stored = samples.reduce(0) { $0 + $1.quantity.doubleValue(for: .jouleUnit(with: .kilo)) }
    #expect(stored == Double(try #require(totals.last)) - Double(try #require(totals.first)))
    #expect(samples.allSatisfy { $0.startDate < $0.endDate })
  }

  /// A central with one frame per second with one beat each. After the thirtieth frame, four seconds of beats
  /// are missing.
  private func framesWithGap(_ count: Int) -> ListedCentral {
    let peer = PeripheralIdentity.address(BluetoothAddress(bits: 7, kind: .random))
    let frames = (0..<count).map { number in
      let time = Int64(number < 30 ? number : number + 4) * 1_000_000
      return CentralEvent.notified(
        ValueNotification(
          peripheral: peer, characteristic: .heartRateMeasurement,
          value: HeartRateMeasurement(heartRate: 60, rrTicks: [1024]).encoded,
          receiptTime: ReceiptTime(microsecondsSince1970: start.microsecondsSince1970 + time)))
    }
    return ListedCentral(batches: [[.connected(peer, start)] + frames])
  }

  @Test func `reading more of a log corrects the samples of its beginning`() async throws {
    func intervals(in store: HKHealthStore) async throws -> [Int] {
      var counts: [Int] = []
      for series in try await series(in: store) {
        counts.append(try await beats(of: series, in: store).count - 1)
      }
      return counts
    }
    for cut in 31..<60 {
      let store = try HKHealthStore.inMemory()
      _ = try await ingest(framesWithGap(cut), into: store)
      let whole = try await ingest(framesWithGap(60), into: store)
      #expect(try await intervals(in: store) == [30, 30], "cut after \(cut) frames")
      #expect(whole.isBalanced && whole.duplicates == cut)
      // Ingesting the beginning of the recording once more changes nothing.
      let again = try await ingest(framesWithGap(cut), into: store)
      #expect(again.stored.isEmpty && again.isBalanced)
      #expect(try await intervals(in: store) == [30, 30], "cut after \(cut) frames, again")
    }
  }

  @Test func `thousands of monitors that connect, measure once and disconnect are all counted`() async throws
  {
    let store = try HKHealthStore.inMemory()
    let count = 3000
    var batches: [[CentralEvent]] = []
    // The first monitor returns at the end, when the pipeline has already released its session.
    for number in Array(0..<count) + [0] {
      let peer = PeripheralIdentity.address(BluetoothAddress(bits: UInt64(number), kind: .random))
      let time = ReceiptTime(
        microsecondsSince1970: start.microsecondsSince1970 + Int64(batches.count) * 1_000_000)
      batches.append([
        .connected(peer, time),
        .notified(
          ValueNotification(
            peripheral: peer, characteristic: .heartRateMeasurement, value: [0x06, 60, 1], receiptTime: time)),
        .disconnected(peer, time),
      ])
    }
    let tally = try await ingest(ListedCentral(batches: batches), into: store)
    #expect(tally.isBalanced)
    #expect(tally.storedMeasurements == count + 1)
    #expect(tally.monitors.count == count)
    #expect(tally.monitors.first?.measurements == 2)
    // Each frame has one byte too many. These anomalies are still counted after the sessions were released.
    #expect(tally.anomalies == ["oddTrailingByte": count + 1])
    #expect(try await heartRates(in: store).count == count + 1)
  }

  @Test(arguments: [3, 40, 700])
  func `a recording read in parts gives exactly the same samples as the whole`(events: Int) async throws {
    let straps = (0..<3).map(StrapProfile.sample(index:))
    var all: [CentralEvent] = []
    for try await batch in central(straps).events() { all += batch }
    let whole = try HKHealthStore.inMemory()
    let expected = try await ingest(ListedCentral(batches: [all]), into: whole)

    let store = try HKHealthStore.inMemory()
    var pipeline = IngestionPipeline(store: store)
    var sum = IngestionTally()
    for start in stride(from: 0, to: all.count, by: events) {
      let part = ListedCentral(batches: [Array(all[start..<min(start + events, all.count)])])
      let (tally, failure) = await pipeline.run(part, isContinued: { start + events < all.count })
      #expect(failure == nil)
      #expect(tally.isBalanced)
      sum.measurements += tally.measurements
      sum.stored.merge(tally.stored, uniquingKeysWith: +)
      sum.rejected.merge(tally.rejected, uniquingKeysWith: +)
    }
    #expect(sum.measurements == expected.measurements)
    #expect(sum.stored == expected.stored)
    #expect(sum.rejected == expected.rejected)
    #expect(try await heartRates(in: store).map(\.uuid) == heartRates(in: whole).map(\.uuid))
    #expect(try await series(in: store).map(\.uuid) == series(in: whole).map(\.uuid))
    #expect(try await Set(heartRates(in: store).map(\.sourceRevision.source.name)) == Set(straps.map(\.name)))
  }

  @Test func `the description of a monitor in one recording is known in the next`() async throws {
    let peer = PeripheralIdentity.address(BluetoothAddress(bits: 7, kind: .random))
    func frame(_ second: Int64) -> CentralEvent {
      .notified(
        ValueNotification(
          peripheral: peer, characteristic: .heartRateMeasurement, value: [0x06, 60],
          receiptTime: ReceiptTime(microsecondsSince1970: second * 1_000_000)))
    }
    let store = try HKHealthStore.inMemory()
    var pipeline = IngestionPipeline(store: store)
    _ = await pipeline.run(
      ListedCentral(batches: [
        [
          .connected(peer, start), .valueRead(peer, .deviceName, AttributeValue(Array("Belt".utf8))),
          frame(1),
        ]
      ]))
    let (tally, _) = await pipeline.run(ListedCentral(batches: [[frame(2000)]]))
    #expect(tally.monitors.map(\.name) == ["Belt"])
    #expect(tally.measurements == 1)
    #expect(try await Set(heartRates(in: store).map(\.sourceRevision.source.name)) == ["Belt"])
    // Ingesting the same recording again stores nothing, even immediately after the first time.
    for _ in 0..<2 {
      let (again, _) = await pipeline.run(ListedCentral(batches: [[frame(2000)]]))
      #expect(again.duplicates == 1)
    }
  }

  @Test func `every measurement has a reason if the source fails`() async throws {
    // The source fails in the middle of a recording. Everything received before is committed and counted.
    let store = try HKHealthStore.inMemory()
    var pipeline = IngestionPipeline(store: store)
    let (tally, failure) = await pipeline.run(FailingCentral(central: central([strap()])))
    #expect(failure is FailingCentral.TestError)
    #expect(tally.isBalanced)
    #expect(tally.storedMeasurements > 100)
    #expect(try await heartRates(in: store).count == tally.storedMeasurements)
  }
}

/// A central whose event stream fails after its first two batches.
private struct FailingCentral: Central {
  struct TestError: Error {}

  let central: SimulatedCentral

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        var batches = 0
        for try await batch in central.events() {
          continuation.yield(batch)
          batches += 1
          if batches == 2 { break }
        }
        continuation.finish(throwing: TestError())
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}

/// A central that emits the given batches and ends.
struct ListedCentral: Central {
  let batches: [[CentralEvent]]

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> {
    AsyncThrowingStream { continuation in
      for batch in batches { continuation.yield(batch) }
      continuation.finish()
    }
  }
}
