import HealthKit
import Testing

@Suite(.timeLimit(.minutes(30))) struct ConcurrentUseTests {
  @Test(arguments: StoreDepth.allCases)
  func `many tasks share one store, and each sees complete saves only`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<6 {
          group.addTask {
            for round in 0..<10 {
              try await store.save((0..<5).map { heartRate(60, at: Double(task * 50 + round * 5 + $0)) })
            }
          }
          group.addTask {
            for _ in 0..<10 {
              let count = try await everyHeartRate().result(for: store).count
              #expect(count.isMultiple(of: 5))
            }
          }
        }
        try await group.waitForAll()
      }
      let starts = try await everyHeartRate().result(for: store).map(\.startDate)
      #expect(starts == (0..<300).map { moment(Double($0)) })
    }
  }

  @Test func `a sample saved by one handle is immediately visible to others`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "health.sqlite").path
    let handles = [try HKHealthStore(storeAt: path), try HKHealthStore(storeAt: path)]
    for round in 0..<10 {
      try await handles[round % 2].save(heartRate(Double(round), at: Double(round)))
      #expect(try await everyHeartRate().result(for: handles[(round + 1) % 2]).values.last == Double(round))
    }
  }
}
