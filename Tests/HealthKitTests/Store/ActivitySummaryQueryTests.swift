import HealthKit
import HealthSystem
import Testing

@Suite(.timeLimit(.minutes(30))) struct ActivitySummaryQueryTests {
  private var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    return calendar
  }

  private func components(_ day: Int) -> DateComponents {
    DateComponents(calendar: calendar, year: 2026, month: 3, day: day)
  }

  private func date(_ day: Int, _ hour: Double) throws -> Date {
    try #require(calendar.date(from: components(day))).addingTimeInterval(hour * 3600)
  }

  private func energy(_ kilocalories: Double, _ day: Int, _ hour: Double, hours: Double = 1) throws
    -> HKSample
  {
    HKQuantitySample(
      type: HKQuantityType(.activeEnergyBurned),
      quantity: HKQuantity(unit: .kilocalorie(), doubleValue: kilocalories),
      start: try date(day, hour), end: try date(day, hour + hours))
  }

  private func hour(_ value: HKCategoryValueAppleStandHour, _ day: Int, _ hour: Double) throws -> HKSample {
    HKCategorySample(
      type: HKCategoryType(.appleStandHour), value: value.rawValue, start: try date(day, hour),
      end: try date(day, hour + 1))
  }

  private func days(_ summaries: [HKActivitySummary]) -> [Int?] {
    summaries.map { $0.dateComponents(for: calendar).day }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a summary is calculated from the samples of its day`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      try await store.save([
        energy(100, 4, 8), energy(50, 4, 20), energy(70, 5, 9),
        // Half of this energy is before midnight, and so belongs to the day before.
        energy(20, 6, 23, hours: 2), hour(.stood, 4, 10), hour(.idle, 4, 11), hour(.stood, 4, 12),
      ])
      let all = try await HKActivitySummaryQueryDescriptor(predicate: nil).result(for: store)
      #expect(days(all) == [4, 5, 6, 7])
      let sums = all.map { $0.activeEnergyBurned.doubleValue(for: .kilocalorie()) }
      #expect(sums.map { $0.rounded() } == [150, 70, 10, 10])
      #expect(all.map { $0.appleStandHours.doubleValue(for: .count()) } == [2, 0, 0, 0])
      #expect(all.map(\.activityMoveMode) == Array(repeating: .activeEnergy, count: 4))
    }
  }

  @Test func `predicates select days`() async throws {
    let store = try HKHealthStore.inMemory()
    for day in 1...9 { try await store.save(energy(10, day, 12)) }
    func found(_ predicate: NSPredicate) async throws -> [Int?] {
      days(try await HKActivitySummaryQueryDescriptor(predicate: predicate).result(for: store))
    }
    #expect(try await found(HKQuery.predicateForActivitySummary(with: components(4))) == [4])
    let some = HKQuery.predicate(forActivitySummariesBetweenStart: components(3), end: components(5))
    #expect(try await found(some) == [3, 4, 5])
    let others = NSCompoundPredicate(notPredicateWithSubpredicate: some)
    #expect(try await found(others) == [1, 2, 6, 7, 8, 9])
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [
      HKQuery.predicateForActivitySummary(with: components(1)), some,
    ])
    #expect(try await found(either) == [1, 3, 4, 5])
  }

  @Test func `a goal is valid from its day on`() async throws {
    let store = try HKHealthStore.inMemory()
    for day in 1...4 { try await store.save(energy(10, day, 12)) }
    func day(_ number: Int) throws -> ActivityDay {
      try #require(ActivityDay(year: 2026, month: 3, day: number))
    }
    let goal = HKQuantity(unit: .kilocalorie(), doubleValue: 500)
    try await store.user.setActivityGoal(goal, for: .activeEnergyBurned, from: day(2))
    try await store.user.setActivityGoal(
      HKQuantity(unit: .count(), doubleValue: 12), for: .appleStandHours, from: day(2))
    try await store.user.setActivityGoal(nil, for: .appleStandHours, from: day(4))
    let all = try await HKActivitySummaryQueryDescriptor(predicate: nil).result(for: store)
    #expect(
      all.map { $0.activeEnergyBurnedGoal.doubleValue(for: .kilocalorie()) } == [0, 500, 500, 500])
    #expect(all.map { $0.standHoursGoal?.doubleValue(for: .count()) } == [nil, 12, 12, nil])
    await #expect {
      try await store.user.setActivityGoal(
        HKQuantity(unit: .gram(), doubleValue: 1), for: .activeEnergyBurned, from: day(1))
    } throws: {
      ($0 as? HKError)?.code == .errorInvalidArgument
    }
  }

  @Test func `the update handler gets the changed days`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([energy(10, 1, 12), energy(10, 2, 12)])
    let (stream, continuation) = AsyncStream.makeStream(of: [Int?].self)
    let query = HKActivitySummaryQuery(predicate: nil) { [calendar] _, summaries, _ in
      continuation.yield(summaries?.map { $0.dateComponents(for: calendar).day } ?? [])
    }
    query.updateHandler = { [calendar] _, summaries, _ in
      continuation.yield(summaries?.map { $0.dateComponents(for: calendar).day } ?? [])
    }
    store.execute(query)
    var results = stream.makeAsyncIterator()
    #expect(await results.next() == [1, 2])
    try await store.save(energy(5, 2, 15))
    #expect(await results.next() == [2])
    try await store.save([energy(5, 9, 15), hour(.stood, 1, 8)])
    #expect(await results.next() == [1, 9])
    store.stop(query)
  }

  @Test func `a changed goal alone wakes the query and the sequence`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([energy(10, 1, 12), energy(10, 2, 12)])
    let (stream, continuation) = AsyncStream.makeStream(of: [Double].self)
    @Sendable func goals(_ summaries: [HKActivitySummary]?) -> [Double] {
      summaries?.map { $0.activeEnergyBurnedGoal.doubleValue(for: .kilocalorie()) } ?? []
    }
    let query = HKActivitySummaryQuery(predicate: nil) { _, all, _ in continuation.yield(goals(all)) }
    query.updateHandler = { _, all, _ in continuation.yield(goals(all)) }
    store.execute(query)
    var updates = stream.makeAsyncIterator()
    #expect(await updates.next() == [0, 0])
    var results = HKActivitySummaryQueryDescriptor(predicate: nil).results(for: store).makeAsyncIterator()
    #expect(goals(try await results.next()) == [0, 0])
    try await store.user.setActivityGoal(
      HKQuantity(unit: .kilocalorie(), doubleValue: 500), for: .activeEnergyBurned,
      from: #require(ActivityDay(year: 2026, month: 3, day: 2)))
    #expect(await updates.next() == [500])
    #expect(goals(try await results.next()) == [0, 500])
    store.stop(query)
  }

  @Test func `a sequence returns all days each time`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save(energy(10, 1, 12))
    var results = HKActivitySummaryQueryDescriptor(predicate: nil).results(for: store).makeAsyncIterator()
    #expect(days(try await results.next() ?? []) == [1])
    try await store.save(energy(10, 2, 12))
    #expect(days(try await results.next() ?? []) == [1, 2])
  }

  @Test func `another kind of predicate is rejected`() async throws {
    let store = try HKHealthStore.inMemory()
    let descriptor = HKActivitySummaryQueryDescriptor(predicate: HKQuery.predicateForObject(with: UUID()))
    await #expect {
      try await descriptor.result(for: store)
    } throws: {
      ($0 as? HKError)?.code == .errorInvalidArgument
    }
  }
}
