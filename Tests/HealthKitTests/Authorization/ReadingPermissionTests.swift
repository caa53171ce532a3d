import HealthKit
import HealthSystem
import Testing

/// Tests all ways to read a type, for each decision of the user. A denied type is never an error: the store
/// looks as if it had only the application's own samples.
@Suite struct ReadingPermissionTests {
  /// Saves two samples of a monitor, and between them one of the application.
  private func withSamples(
    _ depth: StoreDepth,
    _ body: (ApplicationUnderTest, _ own: HKSample, _ others: [HKSample]) async throws -> Void
  ) async throws {
    try await depth.withApplication { application in
      let own = heartRate(60, at: 1)
      let others = [heartRate(80, at: 0), heartRate(100, at: 2)]
      try await application.monitor.save(others)
      try await application.decide(share: true, heartRateType)
      try await application.store.save(own)
      try await body(application, own, others)
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `every query fails without a request: not determined`(_ depth: StoreDepth) async throws {
    try await withSamples(depth) { application, _, _ in
      let store = application.store
      await #expect(throws: HKError(.errorAuthorizationNotDetermined, reason: "Authorization not determined"))
      {
        try await samples(heartRateType, in: store)
      }
      await expectFailure(.errorAuthorizationNotDetermined) { try await changes(in: store) }
      await expectFailure(.errorAuthorizationNotDetermined) { try await average(in: store) }
      await expectFailure(.errorAuthorizationNotDetermined) { try await collection(in: store) }
      await expectFailure(.errorAuthorizationNotDetermined) { try await sources(in: store) }
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `every query without permission returns the application's own samples, without an error`(
    _ depth: StoreDepth
  )
    async throws
  {
    try await withSamples(depth) { application, own, _ in
      try await application.decide(read: false, heartRateType)
      let store = application.store
      #expect(try await samples(heartRateType, in: store).map(\.uuid) == [own.uuid])
      #expect(try await samples(heartRateType, in: store, limit: 1).map(\.uuid) == [own.uuid])
      #expect(try await changes(in: store).addedSamples.map(\.uuid) == [own.uuid])
      #expect(try await average(in: store) == 60)
      #expect(try await collection(in: store) == 1)
      #expect(try await sources(in: store) == [application.identifier])
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `queries with permission return everything`(_ depth: StoreDepth) async throws {
    try await withSamples(depth) { application, own, others in
      try await application.decide(read: true, heartRateType)
      let store = application.store
      let all = [others[0].uuid, own.uuid, others[1].uuid]
      #expect(try await samples(heartRateType, in: store).map(\.uuid) == all)
      #expect(try await changes(in: store).addedSamples.count == 3)
      #expect(try await collection(in: store) == 3)
      #expect(try await sources(in: store).count == 2)
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a revocation affects an open handle`(_ depth: StoreDepth) async throws {
    try await withSamples(depth) { application, own, _ in
      try await application.decide(read: true, heartRateType)
      #expect(try await samples(heartRateType, in: application.store).count == 3)
      try await application.decide(read: false, heartRateType)
      #expect(try await samples(heartRateType, in: application.store).map(\.uuid) == [own.uuid])
      try await application.decide(read: true, heartRateType)
      #expect(try await samples(heartRateType, in: application.store).count == 3)
    }
  }

  @Test func `without permission and own samples the store looks empty`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.monitor.save(heartRate(80, at: 0))
      try await application.decide(read: false, heartRateType)
      #expect(try await samples(heartRateType, in: application.store).isEmpty)
      await expectFailure(.errorNoData) { try await average(in: application.store) }
      #expect(try await collection(in: application.store) == 0)
      #expect(try await sources(in: application.store).isEmpty)
    }
  }

  @Test func `a query on several types needs decisions on all, and returns what may be read of each`()
    async throws
  {
    try await withSamples(.memory) { application, own, _ in
      let step = HKQuantitySample(
        type: stepType, quantity: HKQuantity(unit: .count(), doubleValue: 3), start: moment(5), end: moment(5)
      )
      try await application.monitor.save(step)
      let both = HKSampleQueryDescriptor(
        predicates: [.sample(type: heartRateType), .sample(type: stepType)],
        sortDescriptors: [SortDescriptor(\.startDate)])
      try await application.decide(read: false, heartRateType)
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await both.result(for: application.store)
      }
      try await application.decide(read: true, stepType)
      #expect(try await both.result(for: application.store).map(\.uuid) == [own.uuid, step.uuid])
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a characteristic without permission looks as if it were not set`(_ depth: StoreDepth) async throws {
    try await depth.withApplication { application in
      let type = HKCharacteristicType(.bloodType)
      try await application.system.user.setCharacteristic(.bloodType, to: HKBloodType.oPositive.rawValue)
      expectFailure(.errorAuthorizationNotDetermined) { try application.store.bloodType() }
      try await application.decide(read: false, type)
      #expect(try application.store.bloodType().bloodType == .notSet)
      try await application.decide(read: true, type)
      #expect(try application.store.bloodType().bloodType == .oPositive)
      #expect(try application.system.bloodType().bloodType == .oPositive)
    }
  }

  @Test func `the chosen unit of a type is visible only with a permission for it`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let type = HKQuantityType(.bodyMass)
      try await application.system.user.setPreferredUnit(.ounce(), for: type)
      func unit() async throws -> HKUnit? { try await application.store.preferredUnits(for: [type])[type] }
      await expectFailure(.errorAuthorizationNotDetermined) { try await unit() }
      try await application.decide(share: false, read: false, type)
      #expect(try await unit() != .ounce())
      try await application.decide(share: true, type)
      #expect(try await unit() == .ounce())
    }
  }

  @Test func `no predicate reveals samples that may not be read`() async throws {
    try await withSamples(.memory) { application, own, others in
      try await application.decide(read: false, heartRateType)
      let predicates = [
        HKQuery.predicateForObject(with: others[0].uuid),
        NSCompoundPredicate(notPredicateWithSubpredicate: HKQuery.predicateForObject(with: own.uuid)),
        NSCompoundPredicate(orPredicateWithSubpredicates: [
          HKQuery.predicateForObject(with: others[0].uuid), HKQuery.predicateForObject(with: others[1].uuid),
        ]),
      ]
      for predicate in predicates {
        #expect(try await everyHeartRate(predicate).result(for: application.store).isEmpty)
      }
    }
  }

  @Test func `deletions are reported if the type may be read, otherwise only own ones`() async throws {
    try await withSamples(.memory) { application, own, others in
      try await application.decide(read: true, heartRateType)
      try await application.monitor.delete(others)
      try await application.store.delete(own)
      #expect(try await changes(in: application.store).deletedObjects.count == 3)
      try await application.decide(read: false, heartRateType)
      #expect(try await changes(in: application.store).deletedObjects.map(\.uuid) == [own.uuid])
    }
  }

  @Test func `the limit of an anchored query counts visible samples`() async throws {
    try await withSamples(.memory) { application, _, _ in
      let last = heartRate(61, at: 9)
      try await application.store.save(last)
      try await application.decide(read: false, heartRateType)
      var anchor: HKQueryAnchor?
      var found: [UUID] = []
      for _ in 0..<2 {
        let page = try await HKAnchoredObjectQueryDescriptor(
          predicates: [.quantitySample(type: heartRateType)], anchor: anchor, limit: 1
        ).result(for: application.store)
        found += page.addedSamples.map(\.uuid)
        anchor = page.newAnchor
      }
      #expect(found.count == 2 && found.last == last.uuid)
    }
  }

  @Test func `the beats of a series require permission to read series`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let builder = HKHeartbeatSeriesBuilder(
        healthStore: application.monitor, device: nil, start: moment())
      try await builder.addHeartbeat(at: 0, precededByGap: false)
      let series = try await builder.finishSeries()
      let query = HKHeartbeatSeriesQueryDescriptor(series)
      func beats() async throws -> Int {
        try await query.results(for: application.store).reduce(into: 0) { count, _ in count += 1 }
      }
      await expectFailure(.errorAuthorizationNotDetermined) { try await beats() }
      try await application.decide(read: false, HKSeriesType.heartbeat())
      await expectFailure(.errorNoData) { try await beats() }
      try await application.decide(read: true, HKSeriesType.heartbeat())
      #expect(try await beats() == 1)
    }
  }

  // MARK: - Ways to read

  private func changes(
    in store: HKHealthStore
  ) async throws -> HKAnchoredObjectQueryDescriptor<HKQuantitySample>.Result {
    try await HKAnchoredObjectQueryDescriptor(
      predicates: [.quantitySample(type: heartRateType)], anchor: nil
    ).result(for: store)
  }

  private func average(in store: HKHealthStore) async throws -> Double? {
    try await HKStatisticsQueryDescriptor(
      predicate: .quantitySample(type: heartRateType), options: .discreteAverage
    ).result(for: store)?.averageQuantity()?.doubleValue(for: beatsPerMinute)
  }

  /// Returns the number of samples that the statistics of all intervals count.
  private func collection(in store: HKHealthStore) async throws -> Int {
    try await HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: heartRateType), options: .discreteMax, anchorDate: moment(),
      intervalComponents: DateComponents(hour: 1)
    ).result(for: store).statistics().reduce(0) { $0 + $1.sampleCount }
  }

  private func sources(in store: HKHealthStore) async throws -> [String] {
    try await HKSourceQueryDescriptor(predicate: .quantitySample(type: heartRateType))
      .result(for: store).map(\.bundleIdentifier)
  }

  @Test(arguments: [nil, false, true] as [Bool?])
  func `no type is limited to recent samples by any decision`(_ decision: Bool?) async throws {
    try await StoreDepth.memory.withApplication { application in
      if let decision { try await application.decide(read: decision, heartRateType) }
      #expect(
        try await application.store.earliestAuthorizedSampleDate(for: [heartRateType, stepType]).isEmpty)
      let reported = await withCheckedContinuation { continuation in
        application.store.getEarliestAuthorizedSampleDate(for: [heartRateType]) { dates, error in
          #expect(error == nil)
          continuation.resume(returning: dates)
        }
      }
      #expect(reported == [:])
    }
  }
}
