import HealthKit
import HealthSystem
import Testing

@Suite struct SystemStoreTests {
  @Test func `a handle of a program does not give access to the system's API`() async throws {
    let store = try HKHealthStore.ofApplication()
    expectFailure(.errorAuthorizationDenied) { try SystemStore(store) }
    let unentitled = try HKHealthStore(
      configuration: .init(
        location: .memory, application: .example(entitlements: .init()), decision: .asking { _ in .cancelled }
      ))
    expectFailure(.errorAuthorizationDenied) { try SystemStore(unentitled) }
  }

  @Test func `the system sees samples of all sources`() async throws {
    try await withEachStore { system in
      for (source, values) in [("b", [60.0, 61]), ("a", [62])] {
        let store = system.healthStore.acting(as: HKSource(name: source, bundleIdentifier: source))
        try await store.save(values.enumerated().map { heartRate($1, at: Double($0)) })
      }
      let counts = try await system.sampleCounts()
      #expect(counts.map(\.source.bundleIdentifier) == ["a", "b"])
      #expect(counts.map(\.counts) == [[heartRateType.identifier: 1], [heartRateType.identifier: 2]])
    }
  }

  @Test func `the user's choices are listed`() async throws {
    try await withEachStore { system in
      let mass = HKQuantityType(.bodyMass)
      try await system.setPreferredUnit(.stone(), for: mass)
      #expect(try await system.chosenUnits() == [mass: .stone()])
      let day = try #require(ActivityDay(year: 2026, month: 3, day: 2))
      let minutes = HKQuantity(unit: .hour(), doubleValue: 0.5)
      try await system.setActivityGoal(minutes, for: .appleExerciseTime, from: day)
      let goals = try await system.activityGoals()
      #expect(goals.map(\.goal) == [.appleExerciseTime])
      #expect(goals.map(\.day) == [day])
      #expect(goals.map { $0.quantity?.doubleValue(for: .minute()) } == [30])
    }
  }
}
