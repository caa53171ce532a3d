import HealthKit
import HealthStorage
import Testing

@Suite struct HeartbeatSeriesTests {
  typealias Heartbeat = HKHeartbeatSeriesQueryDescriptor.Heartbeat

  private func series(in store: HKHealthStore) async throws -> [HKHeartbeatSeriesSample] {
    try await HKSampleQueryDescriptor(predicates: [.heartbeatSeries()], sortDescriptors: []).result(
      for: store)
  }

  private func beats(of series: HKHeartbeatSeriesSample, in store: HKHealthStore) async throws -> [Heartbeat]
  {
    var beats: [Heartbeat] = []
    for try await beat in HKHeartbeatSeriesQueryDescriptor(series).results(for: store) { beats.append(beat) }
    return beats
  }

  @Test(arguments: StoreDepth.allCases)
  func `beats are read exactly`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let builder = HKHeartbeatSeriesBuilder(healthStore: store, device: nil, start: moment())
      try await builder.addHeartbeat(at: 0, precededByGap: false)
      try await builder.addHeartbeat(at: 832.0 / 1024, precededByGap: false)
      try await builder.addHeartbeat(at: 1.7, precededByGap: true)
      try await builder.addMetadata(["k": 1])
      try await builder.addMetadata(["k": 2])
      let built = try await builder.finishSeries()

      let found = try #require(try await series(in: store).first)
      #expect(found == built)
      #expect(found.count == 3)
      #expect(found.startDate == moment())
      #expect(found.endDate == moment(1.7))
      #expect(found.metadata?["k"] as? Int == 2)
      #expect(
        try await beats(of: found, in: store) == [
          Heartbeat(timeIntervalSinceStart: 0, precededByGap: false),
          Heartbeat(timeIntervalSinceStart: 832.0 / 1024, precededByGap: false),
          Heartbeat(timeIntervalSinceStart: 1.7, precededByGap: true),
        ])
    }
  }

  @Test func aSeriesWithItsOwnUUIDIsSavedLikeAnySample() async throws {
    let store = try HKHealthStore.inMemory()
    let uuid = UUID()
    let given = [Heartbeat(timeIntervalSinceStart: 0.5, precededByGap: false)]
    let sample = try HKHeartbeatSeriesSample(
      uuid: uuid, start: moment(), beats: given, device: nil, metadata: nil)
    let outcome = try await store.saveReporting([sample, heartRate(60, at: 0)])
    #expect(outcome.stored == 2)
    let found = try #require(try await series(in: store).first)
    #expect(found.uuid == uuid)
    #expect(try await beats(of: found, in: store) == given)
  }

  @Test(arguments: [-0.001, .nan, .infinity, -.infinity])
  func `a rejected beat ends the builder`(_ interval: Double) async throws {
    let store = try HKHealthStore.inMemory()
    let builder = HKHeartbeatSeriesBuilder(healthStore: store, device: nil, start: moment())
    try await builder.addHeartbeat(at: 0.5, precededByGap: false)
    await expectFailure(.errorInvalidArgument) {
      try await builder.addHeartbeat(at: interval, precededByGap: false)
    }
    await expectFailure(.errorInvalidArgument) { try await builder.addHeartbeat(at: 1, precededByGap: false) }
    await expectFailure(.errorInvalidArgument) { try await builder.finishSeries() }
    #expect(try await series(in: store).isEmpty)
  }

  @Test func `a series is limited to maximumCount beats`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = HKHeartbeatSeriesBuilder(healthStore: store, device: nil, start: moment())
    for beat in 0..<HKHeartbeatSeriesBuilder.maximumCount {
      try await builder.addHeartbeat(at: Double(beat), precededByGap: false)
    }
    await expectFailure(.errorInvalidArgument) {
      try await builder.addHeartbeat(at: 1e6, precededByGap: false)
    }
  }

  @Test func anEmptySeriesAndAUsedBuilderAreErrors() async throws {
    let store = try HKHealthStore.inMemory()
    let empty = HKHeartbeatSeriesBuilder(healthStore: store, device: nil, start: moment())
    await expectFailure(.errorInvalidArgument) { try await empty.finishSeries() }
    let used = HKHeartbeatSeriesBuilder(healthStore: store, device: nil, start: moment())
    try await used.addHeartbeat(at: 1, precededByGap: false)
    _ = try await used.finishSeries()
    await expectFailure(.errorInvalidArgument) { try await used.finishSeries() }
    let discarded = HKHeartbeatSeriesBuilder(healthStore: store, device: nil, start: moment())
    try await discarded.addHeartbeat(at: 1, precededByGap: false)
    discarded.discard()
    await expectFailure(.errorInvalidArgument) { try await discarded.finishSeries() }
  }

  @Test func `the query calls its handler per beat and marks the last`() async throws {
    let store = try HKHealthStore.inMemory()
    let given = (1...3).map { Heartbeat(timeIntervalSinceStart: Double($0), precededByGap: $0 == 2) }
    let sample = try HKHeartbeatSeriesSample(
      uuid: UUID(), start: moment(), beats: given, device: nil, metadata: nil)
    try await store.save(sample)
    let (calls, continuation) = AsyncStream<(Double, Bool, Bool)>.makeStream()
    store.execute(
      HKHeartbeatSeriesQuery(heartbeatSeries: sample) { _, interval, gap, done, error in
        #expect(error == nil)
        continuation.yield((interval, gap, done))
        if done { continuation.finish() }
      })
    let received = await calls.reduce(into: []) { $0.append($1) }
    #expect(received.map(\.0) == [1, 2, 3])
    #expect(received.map(\.1) == [false, true, false])
    #expect(received.map(\.2) == [false, false, true])
  }

  @Test func `a series that is not stored is errorNoData`() async throws {
    let store = try HKHealthStore.inMemory()
    let sample = try HKHeartbeatSeriesSample(
      uuid: UUID(), start: moment(), beats: [Heartbeat(timeIntervalSinceStart: 1, precededByGap: false)],
      device: nil, metadata: nil)
    do {
      _ = try await beats(of: sample, in: store)
      Issue.record("beats of nothing")
    } catch HKError.errorNoData {
    }
  }
}
