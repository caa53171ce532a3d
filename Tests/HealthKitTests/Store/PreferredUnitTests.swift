import HealthKit
import HealthSystem
import Synchronization
import Testing

@testable import enum HealthKit.UsualUnit

@Suite(.timeLimit(.minutes(30))) struct PreferredUnitTests {
  private let all = Set(
    [
      HKQuantityTypeIdentifier.bodyMass, .height, .heartRate, .distanceCycling, .bodyTemperature,
      .walkingSpeed,
    ]
    .map { HKQuantityType($0) })

  @Test(arguments: [
    ("en_US", ["lb", "ft", "count/min", "mi", "degF", "mi/hr"]),
    ("en_GB", ["st", "cm", "count/min", "mi", "degC", "mi/hr"]),
    ("de_DE", ["kg", "cm", "count/min", "km", "degC", "km/hr"]),
  ])
  func `the default unit depends on the country`(locale: String, units: [String]) {
    let types: [HKQuantityTypeIdentifier] = [
      .bodyMass, .height, .heartRate, .distanceCycling, .bodyTemperature, .walkingSpeed,
    ]
    let usual = types.map { UsualUnit.of(HKQuantityType($0), in: Locale(identifier: locale)).unitString }
    #expect(usual == units)
  }

  @Test func `every type has a compatible default unit`() {
    for locale in ["en_US", "en_GB", "fr_FR"] {
      for case let type as HKQuantityType in HKSampleType.known {
        #expect(type.is(compatibleWith: UsualUnit.of(type, in: Locale(identifier: locale))), "\(type)")
      }
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `the user's choice has priority`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let type = HKQuantityType(.bodyMass)
      try await store.user.setPreferredUnit(.stone(), for: type)
      #expect(try await store.preferredUnits(for: [type]) == [type: .stone()])
      try await store.user.setPreferredUnit(.gram(), for: type)
      #expect(try await store.preferredUnits(for: all)[type] == .gram())
      #expect(try await store.preferredUnits(for: all).count == all.count)
      try await store.user.setPreferredUnit(nil, for: type)
      let usual = UsualUnit.of(type, in: .current)
      #expect(try await store.preferredUnits(for: [type]) == [type: usual])
    }
  }

  @Test func `an incompatible unit is rejected`() async throws {
    let store = try HKHealthStore.inMemory()
    await #expect {
      try await store.user.setPreferredUnit(.meter(), for: HKQuantityType(.bodyMass))
    } throws: {
      ($0 as? HKError)?.code == .errorInvalidArgument
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a change is reported`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      _ = try await store.preferredUnits(for: all)
      let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
      let observer = NotificationCenter.default.addObserver(
        forName: .HKUserPreferencesDidChange, object: store, queue: nil
      ) { [weak store] notification in
        continuation.yield(notification.object as? HKHealthStore === store)
      }
      // Change the unit repeatedly, because the observer may start after the first change.
      let choosing = Task {
        var grams = true
        while !Task.isCancelled {
          try await store.user.setPreferredUnit(grams ? .gram() : .pound(), for: HKQuantityType(.bodyMass))
          grams.toggle()
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      for await isOurs in stream {
        #expect(isOurs)
        break
      }
      choosing.cancel()
      NotificationCenter.default.removeObserver(observer)
    }
  }

  @Test func `one undecided type is an error for all units`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let (mass, height) = (HKQuantityType(.bodyMass), HKQuantityType(.height))
      try await application.decide(share: true, read: true, mass)
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await application.store.preferredUnits(for: [mass, height])
      }
      try await application.decide(read: false, height)
      #expect(try await application.store.preferredUnits(for: [mass, height]).count == 2)
    }
  }
}
