import Testing

@testable import HealthDataSync
@testable import TestSupport

@Suite struct RetryScheduleTests {
  private func pauses(
    _ outlook: ExternalStoreError.Outlook, seed: UInt64 = 7, count: Int = 40
  ) -> [Duration] {
    var schedule = RetrySchedule(SyncPolicy())
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in schedule.pause(after: outlook, using: &generator) }
  }

  @Test func `the upper limit of the pause doubles with each failure up to the maximum`() {
    let policy = SyncPolicy()
    for (failure, pause) in pauses(.passing).enumerated() {
      let greatest = min(policy.firstPause * Double(1 << min(failure, 30)), policy.longestPause)
      #expect(pause >= .zero && pause <= greatest)
    }
    // The random pauses cover the range from zero to the longest pause.
    let late = (0..<200).map { pauses(.passing, seed: $0, count: 15)[14] }
    #expect(late.contains { $0 < policy.longestPause * 0.1 })
    #expect(late.contains { $0 > policy.longestPause * 0.9 })
    #expect(Set(late).count == 200)
  }

  @Test(arguments: [.milliseconds(500), .zero, .seconds(300), .seconds(Int64.max / 2)] as [Duration])
  func `a hundred failures do not overflow, and a success resets the pause`(firstPause: Duration) {
    var policy = SyncPolicy()
    policy.firstPause = firstPause
    policy.longestPause = max(policy.longestPause, firstPause)
    var schedule = RetrySchedule(policy)
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<100 {
      #expect(schedule.pause(after: .passing, using: &generator) <= policy.longestPause)
    }
    #expect(schedule.failures == 100)
    schedule.succeeded()
    #expect(schedule.pause(after: .passing, using: &generator) <= policy.firstPause)
  }

  @Test func `a server's Retry-After is respected within limits`() {
    let policy = SyncPolicy()
    for pause in pauses(.passingAfter(.seconds(30))) {
      #expect(pause >= .seconds(30) && pause <= .seconds(30) + policy.firstPause)
    }
    for pause in pauses(.passingAfter(.seconds(1_000_000))) {
      #expect(pause >= policy.longestAskedPause && pause <= policy.longestAskedPause + policy.firstPause)
    }
    #expect(pauses(.passingAfter(.seconds(-5))).allSatisfy { $0 >= .zero && $0 <= policy.firstPause })
  }

  @Test func `attempts are rare if the user has to act`() {
    #expect(pauses(.lasting).allSatisfy { $0 == SyncPolicy().longestPause })
  }
}
