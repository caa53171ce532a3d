import HealthKit
import HealthStorage
import HealthSystem
import Testing

@testable import TestSupport

/// When applications last read.
@Suite(.timeLimit(.minutes(30))) struct LastReadTests {
  private func lastReads(_ application: ApplicationUnderTest) async throws -> [Date?] {
    try await application.system.user.permissions().map(\.lastRead)
  }

  @Test(arguments: StoreDepth.allCases)
  func `a read is recorded only if the user allows it`(_ depth: StoreDepth) async throws {
    try await depth.withApplication { application in
      let begin = Date()
      try await application.decide(share: true, read: false, heartRateType)
      try await application.store.save(heartRate(60, at: 1))
      _ = try await samples(heartRateType, in: application.store)
      #expect(try await lastReads(application) == [nil])
      try await application.decide(read: true, heartRateType)
      #expect(try await lastReads(application) == [nil])
      _ = try await samples(heartRateType, in: application.store)
      let read = try #require(try await lastReads(application).first ?? nil)
      #expect(read >= begin.addingTimeInterval(-0.001) && read <= Date())
      // The next ones within five minutes are not recorded.
      _ = try await samples(heartRateType, in: application.store)
      #expect(try await lastReads(application) == [read])
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `statistics and characteristics count as reads, writing and the user's own reads do not`(
    _ depth: StoreDepth
  ) async throws {
    for kind in 0..<2 {
      try await depth.withApplication { application in
        let birth = HKCharacteristicType(.dateOfBirth)
        try await application.decide(share: true, read: true, heartRateType)
        try await application.decide(read: true, birth)
        try await application.store.save(heartRate(60, at: 1))
        _ = try await samples(heartRateType, in: application.system)
        #expect(try await lastReads(application) == [nil, nil])
        if kind == 0 {
          _ = try await HKStatisticsQueryDescriptor(
            predicate: .quantitySample(type: heartRateType), options: .discreteAverage
          ).result(for: application.store)
        } else {
          _ = try? application.store.dateOfBirthComponents()
        }
        #expect(try await lastReads(application).allSatisfy { $0 != nil })
      }
    }
  }

  @Test func `a read does not wait for another program that has the store locked`() async throws {
    try await StoreDepth.disk.withApplication { application in
      try await application.decide(read: true, heartRateType)
      let lock = try StoreLock(try #require(application.system.systemDatabase().path))
      _ = try await samples(heartRateType, in: application.store)
      #expect(try await lastReads(application) == [nil])
      try lock.release()
      // The next read is recorded.
      _ = try await samples(heartRateType, in: application.store)
      #expect(try await lastReads(application).first ?? nil != nil)
    }
  }
}
