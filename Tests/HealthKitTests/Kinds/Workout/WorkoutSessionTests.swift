import HealthStorage
import Synchronization
import Testing

@testable import HealthKit

/// Tests workout sessions, which collect the samples that the store receives (docs/healthkit-rules.md, §5.7).
@Suite(.timeLimit(.minutes(30))) struct WorkoutSessionTests {
  /// Records the calls of a session and its builder.
  private final class Listener: HKWorkoutSessionDelegate, HKLiveWorkoutBuilderDelegate {
    let sayings: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
      (sayings, continuation) = AsyncStream.makeStream()
    }

    func workoutSession(
      _ workoutSession: HKWorkoutSession, didChangeTo toState: HKWorkoutSessionState,
      from fromState: HKWorkoutSessionState, date: Date
    ) {
      continuation.yield("\(fromState) → \(toState)")
    }

    func workoutSession(_ workoutSession: HKWorkoutSession, didFailWithError error: any Error) {
      continuation.yield("error \((error as? HKError)?.code.rawValue ?? -1)")
    }

    func workoutSession(_ workoutSession: HKWorkoutSession, didGenerate event: HKWorkoutEvent) {
      continuation.yield("event \(event.type)")
    }

    func workoutSession(
      _ workoutSession: HKWorkoutSession, didBeginActivityWith workoutConfiguration: HKWorkoutConfiguration,
      date: Date
    ) {
      continuation.yield("began \(workoutConfiguration.activityType)")
    }

    func workoutSession(
      _ workoutSession: HKWorkoutSession, didEndActivityWith workoutConfiguration: HKWorkoutConfiguration,
      date: Date
    ) {
      continuation.yield("ended \(workoutConfiguration.activityType)")
    }

    func workoutBuilder(
      _ workoutBuilder: HKLiveWorkoutBuilder, didCollectDataOf collectedTypes: Set<HKSampleType>
    ) {
      for type in collectedTypes { continuation.yield("collected \(type)") }
    }

    func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder) {
      continuation.yield("collected event")
    }

    func heard(_ count: Int) async -> [String] {
      await sayings.prefix(count).reduce(into: []) { $0.append($1) }
    }
  }

  private static let collected = "collected HKQuantityTypeIdentifierHeartRate"

  private func configuration(_ type: HKWorkoutActivityType = .running) -> HKWorkoutConfiguration {
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = type
    return configuration
  }

  private func session(_ store: HKHealthStore, _ listener: Listener? = nil) throws -> HKWorkoutSession {
    let session = try HKWorkoutSession(healthStore: store, configuration: configuration())
    session.delegate = listener
    return session
  }

  private func beats(_ value: Double, _ date: Date) -> HKQuantitySample {
    HKQuantitySample(
      type: heartRateType, quantity: HKQuantity(unit: beatsPerMinute, doubleValue: value), start: date,
      end: date)
  }

  // MARK: - The session

  @Test func `a session reports each change of its state in order`() async throws {
    let listener = Listener()
    let session = try session(.inMemory(), listener)
    #expect(session.state == .notStarted && session.startDate == nil)
    session.prepare()
    session.startActivity(with: moment())
    #expect(session.state == .running && session.startDate == moment())
    session.pause()
    session.resume()
    session.stopActivity(with: moment(600))
    #expect(session.state == .stopped && session.endDate == moment(600))
    session.end()
    #expect(session.state == .ended && session.endDate == moment(600))
    #expect(
      await listener.heard(8) == [
        "notStarted → prepared", "prepared → running", "running → paused", "event pause", "paused → running",
        "event resume", "running → stopped", "stopped → ended",
      ])
  }

  @Test func `an invalid call in a state is an error and changes nothing`() async throws {
    let listener = Listener()
    let session = try session(.inMemory(), listener)
    session.pause()
    session.resume()
    session.stopActivity(with: nil)
    session.beginNewActivity(configuration: configuration(.cycling), date: moment())
    #expect(session.state == .notStarted)
    session.end()
    session.startActivity(with: nil)
    #expect(session.state == .ended && session.startDate == nil)
    #expect(
      await listener.heard(6) == Array(repeating: "error 3", count: 4) + ["notStarted → ended", "error 3"])
  }

  @Test func `starting a session ends the running one`() async throws {
    let store = try HKHealthStore.inMemory()
    let listener = Listener()
    let (first, second) = (try session(store, listener), try session(store))
    first.startActivity(with: moment())
    #expect(try await store.recoverActiveWorkoutSession() === first)
    second.startActivity(with: moment(60))
    #expect(await listener.heard(3) == ["notStarted → running", "error 8", "running → ended"])
    #expect(first.state == .ended && second.state == .running)
    #expect(try await store.recoverActiveWorkoutSession() === second)
    // Ending the first session once more does not end the second session.
    first.end()
    #expect(second.state == .running)
    second.end()
    #expect(try await store.recoverActiveWorkoutSession() == nil)
  }

  @available(*, deprecated)
  @Test func `a store controls a session with the methods of the first watchOS versions`() throws {
    let store = try HKHealthStore.inMemory()
    let session = try session(store)
    store.start(session)
    #expect(session.state == .running)
    store.pause(session)
    #expect(session.state == .paused)
    store.resumeWorkoutSession(session)
    #expect(session.state == .running)
    store.end(session)
    #expect(session.state == .ended)
  }

  @Test func `mirroring fails without another device`() async throws {
    let store = try HKHealthStore.inMemory()
    let session = try session(store)
    #expect(session.type == .primary)
    func fails(_ work: () async throws -> Void, _ location: SourceLocation = #_sourceLocation) async {
      do {
        try await work()
        Issue.record("there is a device", sourceLocation: location)
      } catch {
        #expect((error as? HKError)?.code == .errorHealthDataUnavailable, sourceLocation: location)
      }
    }
    await fails { try await session.startMirroringToCompanionDevice() }
    await fails { try await session.stopMirroringToCompanionDevice() }
    await fails { try await session.sendToRemoteWorkoutSession(data: Data()) }
    await fails { try await store.startWatchApp(toHandle: configuration()) }
  }

  // MARK: - The builder

  /// Starts a session and the collection of its builder.
  private func recording(
    _ store: HKHealthStore, at start: Date, _ listener: Listener, _ predicate: NSPredicate? = nil
  ) async throws -> (HKWorkoutSession, HKLiveWorkoutBuilder) {
    let session = try session(store)
    let builder = session.associatedWorkoutBuilder()
    #expect(session.associatedWorkoutBuilder() === builder && builder.workoutSession === session)
    let source = HKLiveWorkoutDataSource(healthStore: store, workoutConfiguration: nil)
    source.enableCollection(for: heartRateType, predicate: predicate)
    builder.dataSource = source
    builder.delegate = listener
    session.startActivity(with: start)
    try await builder.beginCollection(at: start)
    return (session, builder)
  }

  @Test(arguments: StoreDepth.allCases)
  func `samples saved by others during the session are collected into the workout`(_ depth: StoreDepth)
    async throws
  {
    try await depth.withStore { store in
      let monitor = store.acting(as: HKSource(name: "Strap", bundleIdentifier: "strap"))
      let listener = Listener()
      // Save a sample from before the session, and one from the session that is saved before the collection
      // begins.
      try await monitor.save([heartRate(40, at: -1), heartRate(50, at: 1)])
      let (session, builder) = try await recording(store, at: moment(), listener)
      #expect(await listener.heard(1) == [Self.collected])
      try await monitor.save([heartRate(70, at: 2)])
      #expect(await listener.heard(1) == [Self.collected])
      #expect(
        builder.statistics(for: heartRateType)?.maximumQuantity()?.doubleValue(for: beatsPerMinute) == 70)
      session.stopActivity(with: moment(10))
      try await builder.endCollection(at: moment(10))
      try await monitor.save([heartRate(90, at: 3), heartRate(200, at: 11)])
      let workout = try #require(try await builder.finishWorkout())
      session.end()
      let samples = try await everyHeartRate(HKQuery.predicateForObjects(from: workout)).result(for: store)
      #expect(samples.values == [50, 70, 90])
      #expect(workout.workoutActivityType == .running)
      // Samples that are saved after the workout was finished are not collected.
      try await monitor.save(heartRate(100, at: 4))
      #expect(
        try await everyHeartRate(HKQuery.predicateForObjects(from: workout)).result(for: store).count == 3)
    }
  }

  @Test func `samples that begin in a pause are left out, and events are collected`() async throws {
    let store = try HKHealthStore.inMemory()
    let listener = Listener()
    let (session, builder) = try await recording(store, at: Date(), listener)
    try await store.save(beats(60, Date()))
    #expect(await listener.heard(1) == [Self.collected])
    session.pause()
    try await store.save(beats(70, Date()))
    session.resume()
    try await store.save(beats(80, Date()))
    #expect(await listener.heard(3) == ["collected event", "collected event", Self.collected])
    session.end()
    try await builder.endCollection(at: Date())
    let workout = try #require(try await builder.finishWorkout())
    let samples = try await everyHeartRate(HKQuery.predicateForObjects(from: workout)).result(for: store)
    #expect(samples.values == [60, 80])
    #expect(workout.workoutEvents?.map(\.type) == [.pause, .resume])
  }

  @Test func `activities of the session are added to the workout`() async throws {
    let store = try HKHealthStore.inMemory()
    let listener = Listener()
    let (session, builder) = try await recording(store, at: moment(), Listener())
    session.delegate = listener
    session.beginNewActivity(configuration: configuration(.cycling), date: moment(10))
    #expect(builder.currentWorkoutActivity?.workoutConfiguration.activityType == .cycling)
    #expect(session.currentActivity.workoutConfiguration.activityType == .cycling)
    session.beginNewActivity(configuration: configuration(.running), date: moment(20))
    session.endCurrentActivity(on: moment(30))
    session.endCurrentActivity(on: moment(40))
    #expect(builder.currentWorkoutActivity == nil)
    #expect(
      await listener.heard(4)
        == [
          HKWorkoutActivityType.cycling, .cycling, .running, .running,
        ].enumerated().map { "\($0 % 2 == 0 ? "began" : "ended") \($1)" })
    session.stopActivity(with: moment(60))
    try await builder.endCollection(at: moment(60))
    let workout = try #require(try await builder.finishWorkout())
    #expect(workout.workoutActivities.map(\.startDate) == [moment(10), moment(20)])
    #expect(workout.workoutActivities.map(\.endDate) == [moment(20), moment(30)])
    session.end()
  }

  @Test func `an activity at an invalid time is an error and changes nothing`() async throws {
    let store = try HKHealthStore.inMemory()
    let listener = Listener()
    let (session, builder) = try await recording(store, at: moment(), Listener())
    session.delegate = listener
    session.beginNewActivity(configuration: configuration(.cycling), date: moment(-1))
    #expect(builder.workoutActivities.isEmpty)
    session.beginNewActivity(configuration: configuration(.cycling), date: moment(10))
    session.beginNewActivity(configuration: configuration(.running), date: moment(9))
    session.endCurrentActivity(on: moment(9))
    #expect(session.currentActivity.workoutConfiguration.activityType == .cycling)
    #expect(builder.workoutActivities.map(\.endDate) == [nil])
    session.endCurrentActivity(on: moment(20))
    #expect(builder.workoutActivities.map(\.endDate) == [moment(20)])
    #expect(
      await listener.heard(5) == [
        "error 3", "began \(HKWorkoutActivityType.cycling)", "error 3", "error 3",
        "ended \(HKWorkoutActivityType.cycling)",
      ])
    session.end()
  }

  @Test func `a read error is passed to the delegate of the session`() async throws {
    try await StoreDepth.memory.withStore { store in
      let listener = Listener()
      let (session, builder) = try await recording(store, at: moment(), listener)
      session.delegate = listener
      try await store.save(heartRate(60, at: 1))
      #expect(await listener.heard(1) == [Self.collected])
      // Save a sample with an unknown unit, as a newer version of hrgate may write it.
      let unreadable = SampleRecord(
        uuid: UUID(), type: heartRateType.identifier, start: Microseconds.clamped(moment(2)),
        end: Microseconds.clamped(moment(2)),
        provenance: Provenance(
          revision: SourceRevisionRecord(
            source: SourceRecord(bundleIdentifier: "s", name: "s"), version: nil, productType: nil,
            operatingSystem: "1.0.0"), device: nil),
        metadata: nil, content: .quantity(value: 1, unit: "of a later version"))
      try await store.engine.database.save([unreadable])
      #expect(await listener.heard(1) == ["error \(HKError.Code.unknownError.rawValue)"])
      // After the sample is deleted, the next change of the data source restarts the collection.
      try await store.engine.database.delete([unreadable.uuid], savedBy: "s")
      builder.dataSource?.enableCollection(for: stepType, predicate: nil)
      try await store.save(heartRate(70, at: 3))
      #expect(await listener.heard(1) == [Self.collected])
      session.end()
    }
  }

  @Test func `a predicate limits the collection, and a type can be excluded again`() async throws {
    let store = try HKHealthStore.inMemory()
    let listener = Listener()
    let strap = HKSource(name: "Strap", bundleIdentifier: "strap")
    let (session, builder) = try await recording(
      store, at: moment(), listener, HKQuery.predicateForObjects(from: strap))
    try await store.save(heartRate(60, at: 1))
    try await store.acting(as: strap).save(heartRate(70, at: 2))
    #expect(await listener.heard(1) == [Self.collected])
    builder.dataSource?.disableCollection(for: heartRateType)
    try await store.acting(as: strap).save(heartRate(80, at: 3))
    session.stopActivity(with: moment(10))
    try await builder.endCollection(at: moment(10))
    let workout = try #require(try await builder.finishWorkout())
    let samples = try await everyHeartRate(HKQuery.predicateForObjects(from: workout)).result(for: store)
    #expect(samples.values == [70])
    session.end()
  }

  @Test func `nothing is collected without a running session`() async throws {
    let store = try HKHealthStore.inMemory()
    let session = try session(store)
    let builder = session.associatedWorkoutBuilder()
    builder.dataSource = HKLiveWorkoutDataSource(healthStore: store, workoutConfiguration: configuration())
    try await builder.beginCollection(at: moment())
    try await store.save(heartRate(60, at: 1))
    try await builder.endCollection(at: moment(10))
    let workout = try #require(try await builder.finishWorkout())
    #expect(workout.allStatistics.isEmpty)
  }

  @Test func `an application collects what it may read, without permission to save it`() async throws {
    try await StoreDepth.disk.withApplication { application in
      try await application.decide(share: true, HKObjectType.workoutType())
      try await application.decide(read: true, heartRateType)
      let listener = Listener()
      let (session, builder) = try await recording(application.store, at: moment(), listener)
      // Enable a type for which the application has not requested permission.
      builder.dataSource?.enableCollection(for: stepType, predicate: nil)
      try await application.monitor.save(heartRate(60, at: 1))
      #expect(await listener.heard(1) == [Self.collected])
      session.stopActivity(with: moment(10))
      try await builder.endCollection(at: moment(10))
      let workout = try #require(try await builder.finishWorkout())
      #expect(Set(workout.allStatistics.keys) == [heartRateType])
      session.end()
    }
  }

  @Test func `the default types of an activity are collected`() throws {
    let store = try HKHealthStore.inMemory()
    func types(_ type: HKWorkoutActivityType) -> Set<HKQuantityType> {
      HKLiveWorkoutDataSource(healthStore: store, workoutConfiguration: configuration(type)).typesToCollect
    }
    #expect(types(.yoga) == [heartRateType, HKQuantityType(.activeEnergyBurned)])
    #expect(types(.cycling).subtracting(types(.yoga)) == [HKQuantityType(.distanceCycling)])
    #expect(HKLiveWorkoutDataSource(healthStore: store, workoutConfiguration: nil).typesToCollect.isEmpty)
  }
}
