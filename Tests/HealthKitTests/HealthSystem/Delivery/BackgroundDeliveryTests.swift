import HealthStorage
import Testing

@testable import HealthKit
@testable import HealthSystem

@Suite(.timeLimit(.minutes(30))) struct BackgroundDeliveryTests {
  private let steps = HKQuantityType(.stepCount)

  private func entitled() throws -> HKHealthStore.Application {
    try .example(entitlements: .init(healthKit: true, backgroundDelivery: true))
  }

  /// Runs `body` with a store as seen by an application that may read heart rates, and as seen by the system.
  private func withStore(
    _ application: HKHealthStore.Application? = nil,
    _ body: (_ store: HKHealthStore, _ system: SystemStore) async throws -> Void
  ) async throws {
    let store = try HKHealthStore(
      configuration: .init(
        location: .memory, application: application ?? entitled(),
        decision: .asking { _ in .grantedAll }))
    try await store.requestAuthorization(toShare: [], read: [heartRateType, steps])
    let strap = store.acting(as: HKSource(name: "Strap", bundleIdentifier: "strap"))
    try await body(store, SystemStore(strap))
  }

  private func due(_ system: SystemStore, after seconds: Double = 0) async throws -> [[String]] {
    try await BackgroundDelivery(system).agenda(at: moment(seconds)).launches.map(\.types)
  }

  @Test func `background delivery requires the entitlement`() async throws {
    try await withStore(.example()) { store, _ in
      await expectFailure(.errorAuthorizationDenied) {
        try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      }
    }
  }

  @Test func `correlations and types without samples are not delivered`() async throws {
    try await withStore { store, _ in
      await expectFailure(.errorInvalidArgument) {
        try await store.enableBackgroundDelivery(
          for: HKCorrelationType(.bloodPressure), frequency: .immediate)
      }
      await expectFailure(.errorInvalidArgument) {
        try await store.enableBackgroundDelivery(
          for: HKCharacteristicType(.bloodType), frequency: .immediate)
      }
    }
  }

  @Test func `changes for an application that is not running are due`() async throws {
    try await withStore { store, system in
      try await system.healthStore.save(heartRate(60, at: 0))
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      #expect(try await due(system) == [])
      let sample = heartRate(61, at: 1)
      try await system.healthStore.save(sample)
      #expect(try await due(system) == [[heartRateType.identifier]])
      let launch = try #require(try await BackgroundDelivery(system).agenda(at: moment()).launches.first)
      #expect(launch.bundleIdentifier == "org.example.recorder")
      #expect(launch.executable.hasPrefix("/"))
    }
  }

  @Test func `a deletion is a change, too`() async throws {
    try await withStore { store, system in
      let sample = heartRate(61, at: 1)
      try await system.healthStore.save(sample)
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      try await system.healthStore.delete(sample)
      #expect(try await due(system) == [[heartRateType.identifier]])
    }
  }

  @Test func `changes that an application may not read are not delivered`() async throws {
    try await withStore { store, system in
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      try await system.healthStore.save(heartRate(61, at: 1))
      try await system.setPermission(
        share: nil, read: false, on: [heartRateType], for: "org.example.recorder")
      #expect(try await due(system) == [])
    }
  }

  @Test func `an unacknowledged start is repeated at most three times with growing delays`() async throws {
    try await withStore { store, system in
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      try await system.healthStore.save(heartRate(61, at: 1))
      let delivery = BackgroundDelivery(system)
      var times: [Double] = []
      for second in stride(from: 0.0, to: 2000, by: 10) {
        for launch in try await delivery.agenda(at: moment(second)).launches {
          #expect(try await delivery.claim(launch, at: moment(second)) != nil)
          times.append(second)
        }
      }
      #expect(times == [0, 60, 180])
    }
  }

  @Test func `enabling delivery at each start is not an acknowledgment`() async throws {
    try await withStore { store, system in
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      try await system.healthStore.save(heartRate(61, at: 1))
      let delivery = BackgroundDelivery(system)
      var starts = 0
      for second in stride(from: 0.0, to: 5000, by: 50) {
        for launch in try await delivery.agenda(at: moment(second)).launches {
          _ = try await delivery.claim(launch, at: moment(second))
          starts += 1
          try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
        }
      }
      #expect(starts == 3)
    }
  }

  @Test func `only one of two deliverers starts an application`() async throws {
    try await withStore { store, system in
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      try await system.healthStore.save(heartRate(61, at: 1))
      let (one, other) = (BackgroundDelivery(system), BackgroundDelivery(system))
      let first = try #require(try await one.agenda(at: moment()).launches.first)
      let second = try #require(try await other.agenda(at: moment()).launches.first)
      #expect(try await one.claim(first, at: moment()) != nil)
      #expect(try await other.claim(second, at: moment()) == nil)
    }
  }

  @Test func `changes already searched are not missed later`() async throws {
    try await withStore { store, system in
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      let delivery = BackgroundDelivery(system)
      try await system.healthStore.save(
        HKCategorySample(type: HKCategoryType(.mindfulSession), value: 0, start: moment(), end: moment(1)))
      #expect(try await delivery.agenda(at: moment()).launches == [])
      try await system.healthStore.save(heartRate(61, at: 1))
      #expect(try await delivery.agenda(at: moment()).launches.count == 1)
    }
  }

  @Test func `an acknowledgment resets the count of misses`() async throws {
    try await withStore { store, system in
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      try await system.healthStore.save(heartRate(61, at: 1))
      let delivery = BackgroundDelivery(system)
      for second in [0.0, 100, 300] {
        for launch in try await delivery.agenda(at: moment(second)).launches {
          _ = try await delivery.claim(launch, at: moment(second))
        }
      }
      #expect(try await due(system, after: 1e6) == [])
      // Acknowledge the changes, as the completion handler of an observer query does.
      let last = try await store.admit(.authorization).lastChange()
      store.acknowledge([heartRateType], upTo: last)
      // The acknowledgment must be committed when the call returns, because the application may then exit.
      #expect(try await system.database.deliveries().map(\.misses) == [0])
      #expect(try await due(system, after: 1e6) == [])
      try await system.healthStore.save(heartRate(62, at: 2))
      #expect(try await due(system, after: 1e6) == [[heartRateType.identifier]])
    }
  }

  @Test func `the frequency is not exceeded`() {
    func next(
      _ frequency: HKUpdateFrequency, delivered: Int64?, misses: Int = 0, now: Int64 = .max / 2
    ) -> Int64? {
      DeliverySchedule(
        DeliveryRecord(
          application: ApplicationRecord(bundleIdentifier: "a", name: "a"),
          launch: LaunchRecord(unit: nil, executable: "/a"), type: "t", frequency: frequency.rawValue,
          position: 0, delivered: delivered, misses: misses)
      ).next(at: now)
    }
    let hour: Int64 = 3_600_000_000
    #expect(next(.weekly, delivered: nil) == 0)
    #expect(next(.immediate, delivered: 5) == 5)
    #expect(next(.hourly, delivered: 5) == 5 + hour)
    #expect(next(.daily, delivered: 5) == 5 + 24 * hour)
    #expect(next(.weekly, delivered: 5) == 5 + 168 * hour)
    #expect(next(.immediate, delivered: 5, misses: 2) == 5 + hour / 30)
    #expect(next(.hourly, delivered: 5, misses: 2) == 5 + hour)
    #expect(next(.immediate, delivered: 5, misses: 3) == nil)
    // A last delivery in the future, from a clock that was ahead, does not delay the next one. Invalid values
    // in the store do not cause a trap.
    #expect(next(.hourly, delivered: .max, now: 100) == 100 + hour)
  }

  @Test func `steps are delivered at most hourly`() async throws {
    try await withStore { store, system in
      try await store.enableBackgroundDelivery(for: steps, frequency: .immediate)
      let records = try await system.database.deliveries()
      #expect(records.map(\.frequency) == [HKUpdateFrequency.hourly.rawValue])
    }
  }

  @Test func `disabling ends the delivery`() async throws {
    try await withStore { store, system in
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      try await store.enableBackgroundDelivery(for: steps, frequency: .daily)
      try await store.disableBackgroundDelivery(for: heartRateType)
      #expect(try await system.database.deliveries().map(\.type) == [steps.identifier])
      try await store.disableAllBackgroundDelivery()
      #expect(try await system.database.deliveries() == [])
      try await store.disableAllBackgroundDelivery()
    }
  }

  @Test func `an application with a running observer is not started`() async throws {
    try await withStore { store, system in
      try await store.enableBackgroundDelivery(for: heartRateType, frequency: .immediate)
      let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
      let query = HKObserverQuery(sampleType: heartRateType, predicate: nil) { _, _, _ in
        // The observer never calls its completion handler.
        continuation.yield()
      }
      store.execute(query)
      var iterator = calls.makeAsyncIterator()
      await iterator.next()
      try await system.healthStore.save(heartRate(61, at: 1))
      let agenda = try await BackgroundDelivery(system).agenda(at: moment())
      #expect(agenda.launches == [])
      #expect(agenda.next == moment(30))
      store.stop(query)
    }
  }
}
