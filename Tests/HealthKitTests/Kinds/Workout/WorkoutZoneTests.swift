import HealthKit
import HealthSystem
import Testing

/// The zones of effort that programs read.
@Suite(.timeLimit(.minutes(30))) struct WorkoutZoneTests {
  private static let unit = HKUnit(from: "count/min")

  private func rates(_ rates: Double...) -> [HKQuantity] {
    rates.map { HKQuantity(unit: Self.unit, doubleValue: $0) }
  }

  /// The rates at which zones begin.
  private func bounds(_ configuration: HKWorkoutZoneConfiguration?) -> [Double]? {
    configuration?.zones.compactMap { $0.minimum?.doubleValue(for: Self.unit) }
  }

  @Test func `zones follow each other, and the first and last have one bound`() throws {
    let zones = try HKWorkoutZoneConfiguration(quantityType: heartRateType, zoneBoundaries: rates(110, 150))
    #expect(zones.source == .app && zones.quantityType == heartRateType)
    #expect(zones.zones.map(\.index) == [0, 1, 2])
    #expect(zones.zones.map(\.minimum) == [nil] + rates(110, 150))
    #expect(zones.zones.map(\.maximum) == rates(110, 150) + [nil])
    let same = try HKWorkoutZoneConfiguration(quantityType: heartRateType, zoneBoundaries: rates(110, 150))
    #expect(zones == same)
  }

  @Test func `boundaries that do not ascend, of another unit, or none at all are rejected`() {
    let invalid: [[HKQuantity]] = [
      [], rates(150, 110), rates(110, 110), rates(.nan), rates(110, .infinity),
      [HKQuantity(unit: .watt(), doubleValue: 200)],
    ]
    for boundaries in invalid {
      expectFailure(.errorInvalidArgument) {
        try HKWorkoutZoneConfiguration(quantityType: heartRateType, zoneBoundaries: boundaries)
      }
    }
  }

  @Test func `only five ascending rates from 30 to 250 are limits of zones`() {
    let limits = ZoneLimits([30, 100, 120, 140, 250])
    #expect(limits.flatMap { ZoneLimits(stored: $0.stored) } == limits && limits != nil)
    for rates in [
      [], [100, 120, 140, 160], [29, 100, 120, 140, 160], [100, 120, 140, 160, 251],
      [100, 120, 120, 140, 160], [160, 140, 120, 110, 100], [100, 120, 140, 160, 180, 200],
    ] {
      #expect(ZoneLimits(rates) == nil, "\(rates)")
    }
    for stored in [-1, 0, 1, 1 << 40, .max] as [Int64] { #expect(ZoneLimits(stored: stored) == nil) }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a program reads the user's limits, or shares of the maximum`(_ depth: StoreDepth) async throws {
    try await depth.withApplication { application in
      let (store, user) = (application.store, try SystemStore(application.system))
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await store.preferredWorkoutZoneConfiguration(for: heartRateType)
      }
      try await user.setMaximumHeartRate(200)
      try await application.decide(read: false, heartRateType)
      #expect(try await store.preferredWorkoutZoneConfiguration(for: heartRateType) == nil)
      try await application.decide(read: true, heartRateType)
      let shares = try await store.preferredWorkoutZoneConfiguration(for: heartRateType)
      #expect(bounds(shares) == [100, 120, 140, 160, 180] && shares?.source == .system)
      try await user.setZoneLimits(ZoneLimits([105, 121, 140, 163, 177]))
      let limits = try await store.preferredWorkoutZoneConfiguration(for: heartRateType)
      #expect(bounds(limits) == [105, 121, 140, 163, 177] && limits?.source == .user)
      #expect(limits?.zones.count == 6)
      #expect(try await store.preferredWorkoutZoneConfiguration(for: stepType) == nil)
      try await user.setZoneLimits(nil)
      let again = try await store.preferredWorkoutZoneConfiguration(for: heartRateType)
      #expect(again == shares)
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `zones reveal the age only to a program that may read the date of birth`(_ depth: StoreDepth)
    async throws
  {
    try await depth.withApplication { application in
      try await SystemStore(application.system).setDateOfBirth(ActivityDay(text: "1990-05-17"))
      try await application.decide(read: true, heartRateType)
      let store = application.store
      #expect(try await store.preferredWorkoutZoneConfiguration(for: heartRateType) == nil)
      let birth = HKCharacteristicType(.dateOfBirth)
      try await application.decide(read: false, birth)
      #expect(try await store.preferredWorkoutZoneConfiguration(for: heartRateType) == nil)
      try await application.decide(read: true, birth)
      let zones = try await store.preferredWorkoutZoneConfiguration(for: heartRateType)
      let maximum = try #require(try SystemStore(application.system).maximumHeartRate())
      #expect(bounds(zones)?.first == Double(maximum.maximum) / 2 && zones?.zones.count == 6)
    }
  }
}
