import Testing

@testable import HealthKit
@testable import HealthStorage
@testable import TestSupport

@Suite struct MetadataPredicateTests {
  private static var values: [Any] {
    [
      "abc", "Abc", true, 1, 1.5, 2, UInt64.max, Int64.max, moment(5),
      HKQuantity(unit: .meter(), doubleValue: 1000), HKQuantity(unit: .second(), doubleValue: 1000),
    ]
  }

  /// Returns the indexes of the matching elements of `values`. The store also has a sample without metadata
  /// and one with another key.
  @available(*, deprecated)
  private func places(_ predicate: NSPredicate) async throws -> [Int] {
    let store = try HKHealthStore.inMemory()
    let samples = Self.values.enumerated().map { heartRate(1, at: Double($0), metadata: ["k": $1]) }
    try await store.save(samples)
    try await store.save([heartRate(1, at: 100), heartRate(1, at: 101, metadata: ["other": "abc"])])
    return try await found(predicate, .quantitySample(type: HKQuantityType(.heartRate)), in: store)
      .map { Int($0.startDate.timeIntervalSince(moment())) }
  }

  @available(*, deprecated)
  private func places(_ operatorType: NSComparisonPredicate.Operator, _ value: Any) async throws -> [Int] {
    try await places(
      HKQuery.predicateForObjects(withMetadataKey: "k", operatorType: operatorType, value: value))
  }

  @available(*, deprecated)
  @Test func `predicates for the presence of a key`() async throws {
    #expect(try await places(HKQuery.predicateForObjects(withMetadataKey: "k")) == Array(0...10))
    #expect(try await places(HKQuery.predicateForObjects(withMetadataKey: "other")) == [101])
    #expect(try await places(HKQuery.predicateForObjects(withMetadataKey: "none")) == [])
  }

  @available(*, deprecated)
  @Test func `numbers of all types are compared exactly`() async throws {
    func allowed(_ values: [Any]) async throws -> [Int] {
      try await places(HKQuery.predicateForObjects(withMetadataKey: "k", allowedValues: values))
    }
    #expect(try await allowed([1.0]) == [2, 3])
    #expect(try await allowed([false, 2.0]) == [5])
    #expect(try await allowed([]) == [])
    // 2⁶³ as a Double is one more than Int64.max.
    #expect(try await allowed([9.223372036854775808e18]) == [])
    #expect(try await places(.lessThan, 9.223372036854775808e18) == [2, 3, 4, 5, 7])
    #expect(try await places(.greaterThan, 1.25) == [4, 5, 6, 7])
  }

  @available(*, deprecated)
  @Test func `quantities are compared across units`() async throws {
    let kilometre = HKQuantity(unit: .meterUnit(with: .kilo), doubleValue: 1)
    #expect(try await places(.equalTo, kilometre) == [9])
    #expect(
      try await places(HKQuery.predicateForObjects(withMetadataKey: "k", allowedValues: [kilometre])) == [9])
    #expect(try await places(.lessThan, kilometre) == [])
    #expect(try await places(.lessThanOrEqualTo, kilometre) == [9])
  }

  @available(*, deprecated)
  @Test func `a value of another type, or a missing one, matches only notEqualTo`() async throws {
    #expect(try await places(.notEqualTo, "abc") == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100, 101])
    #expect(try await places(.notEqualTo, 1) == [0, 1, 4, 5, 6, 7, 8, 9, 10, 100, 101])
    #expect(try await places(.notEqualTo, moment(5)) == [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 100, 101])
    let kilometer = HKQuantity(unit: .meterUnit(with: .kilo), doubleValue: 1)
    #expect(try await places(.notEqualTo, kilometer) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 100, 101])
    let second = HKQuantity(unit: .second(), doubleValue: 1)
    #expect(try await places(.notEqualTo, second) == Array(0...10) + [100, 101])
    #expect(try await places(.lessThan, moment(6)) == [8])
    #expect(try await places(.greaterThan, "A") == [0, 1])
    #expect(try await places(.greaterThanOrEqualTo, kilometer) == [9])
  }

  @available(*, deprecated)
  @Test func `nil matches a missing key`() async throws {
    for none in [NSNull(), Int?.none as Any] {
      #expect(try await places(.equalTo, none) == [100, 101])
      #expect(try await places(.notEqualTo, none) == Array(0...10))
    }
  }

  /// Tests all operators, with and without NOT, as a predicate format and by the factory method, for samples
  /// in rows and in segments.
  @available(*, deprecated)
  @Test func `a comparison and a format find the same samples`() async throws {
    let store = try HKHealthStore.inMemory()
    let kilo = HKUnit.meterUnit(with: .kilo)
    let values: [Any?] = [
      nil, "a", "b", 1, 2, HKQuantity(unit: kilo, doubleValue: 1), HKQuantity(unit: .meter(), doubleValue: 5),
      HKQuantity(unit: .second(), doubleValue: 1), moment(5),
    ]
    var generator = SystemRandomNumberGenerator()
    // The samples have UUIDs like a gateway's, because only such samples can be compacted into segments.
    let samples = try values.enumerated().flatMap { place, value in
      try (0..<100).map { second in
        let time = moment(Double(second) + Double(place) / 10)
        return try HKQuantitySample.make(
          uuid: gatewayUUID(end: Microseconds.clamped(time), &generator), type: HKQuantityType(.heartRate),
          quantity: HKQuantity(unit: beatsPerMinute, doubleValue: Double(place)), start: time, end: time,
          device: nil, metadata: try value.map { try ObjectMetadata(["k": $0]) })
      }
    }
    try await store.save(samples)
    let operators: [(NSComparisonPredicate.Operator, String)] = [
      (.equalTo, "=="), (.notEqualTo, "!="), (.lessThan, "<"), (.lessThanOrEqualTo, "<="),
      (.greaterThan, ">"), (.greaterThanOrEqualTo, ">="), (.like, "LIKE"), (.beginsWith, "BEGINSWITH"),
      (.endsWith, "ENDSWITH"), (.contains, "CONTAINS"),
    ]
    let others: [Any] = [
      "a", 1, HKQuantity(unit: .meter(), doubleValue: 1000), HKQuantity(unit: .gram(), doubleValue: 1),
      moment(5), NSNull(),
    ]
    func found(_ predicate: NSPredicate, isNegated: Bool) async throws -> Set<Double> {
      let asked =
        isNegated ? NSCompoundPredicate(notPredicateWithSubpredicate: predicate) : predicate
      let all = HKSamplePredicate<HKQuantitySample>.quantitySample(type: HKQuantityType(.heartRate))
      return Set(try await HealthKitTests.found(asked, all, in: store).values)
    }
    /// Expects that each comparison predicate and the equivalent predicate format find the same samples, and
    /// returns them.
    func expectSame() async throws -> [String: Set<Double>] {
      var all: [String: Set<Double>] = [:]
      for (operatorType, word) in operators {
        for other in others where other is String || "=!<>".contains(word.prefix(1)) {
          if other is NSNull, operatorType != .equalTo, operatorType != .notEqualTo { continue }
          for isNegated in [false, true] {
            let factory = HKQuery.predicateForObjects(
              withMetadataKey: "k", operatorType: operatorType, value: other)
            let format = NSPredicate(format: "metadata.k \(word) %@", other)
            let places = try await found(factory, isNegated: isNegated)
            all["\(isNegated) \(word) \(other)"] = places
            #expect(try await found(format, isNegated: isNegated) == places, "\(isNegated) \(word) \(other)")
            // The value 0 stands for the samples without metadata, and so without the key.
            let isUnequal = operatorType == .notEqualTo ? !(other is NSNull) : other is NSNull
            #expect(places.contains(0) == (isUnequal != isNegated), "\(isNegated) \(word) \(other)")
          }
        }
      }
      return all
    }
    let rows = try await expectSame()
    #expect(try await store.admit(.read([HKQuantityType(.heartRate)])).condense() == samples.count)
    #expect(try await expectSame() == rows)
  }

  @available(*, deprecated)
  @Test func `string operators are case-sensitive`() async throws {
    #expect(try await places(.beginsWith, "ab") == [0])
    #expect(try await places(.endsWith, "bc") == [0, 1])
    #expect(try await places(.contains, "b") == [0, 1])
    #expect(try await places(.contains, "") == [0, 1])
    #expect(try await places(.contains, "abcd") == [])
    #expect(try await places(.like, "?b*") == [0, 1])
    #expect(try await places(.like, "a?") == [])
    #expect(try await places(.like, "*a*c*") == [0])
  }

  @available(*, deprecated)
  @Test func `lists and ranges`() async throws {
    #expect(try await places(.in, ["abc", 2, moment(5)] as [Any]) == [0, 5, 8])
    #expect(try await places(.in, Set(["Abc", "x"])) == [1])
    #expect(try await places(.between, [1, 2]) == [2, 3, 4, 5])
    #expect(try await places(.between, [2, 1]) == [])
  }

  @available(*, deprecated)
  @Test func `invalid values and operators are rejected`() {
    let refused: [(NSComparisonPredicate.Operator, Any)] = [
      (.matches, "a"), (.beginsWith, 1), (.in, 1), (.between, [1]), (.equalTo, [1]), (.equalTo, Double.nan),
    ]
    for (operatorType, value) in refused {
      #expect(throws: HKValidationError.self, "\(operatorType)") {
        try SampleFilter.comparingMetadata("k", operatorType, value)
      }
    }
  }

  @available(*, deprecated)
  @Test(arguments: [
    ("aab", "ab", true), ("aaab", "aab", true), ("abcabd", "abd", true), ("abcab", "abd", false),
    ("", "a", false), ("é", "e", false),
  ])
  func `a string is found at any position`(text: String, part: String, isFound: Bool) {
    #expect(TextRelation.contains.holds(text, part) == isFound)
  }

  @available(*, deprecated)
  @Test(arguments: [
    ("mississippi", "m*iss*pi", true), ("mississippi", "m*iss*po", false), ("", "*", true), ("", "?", false),
    ("aab", "*ab", true), ("é", "?", true), ("ab", "a", false),
  ])
  func `wildcards backtrack as far as necessary`(text: String, pattern: String, isLike: Bool) {
    #expect(TextRelation.like.holds(text, pattern) == isLike)
  }

  @available(*, deprecated)
  @Test func `values of a predicate are never SQL`() async throws {
    let hostile = "'); DELETE FROM sample; --"
    #expect(try await places(.equalTo, hostile) == [])
    #expect(try await places(HKQuery.predicateForObjects(withMetadataKey: hostile)) == [])
    let device = HKQuery.predicateForObjects(
      withDeviceProperty: HKDevicePropertyKeyName, allowedValues: [hostile, "\"", "\\"])
    #expect(try await places(device) == [])
    #expect(try await places(HKQuery.predicateForObjects(withMetadataKey: "k")) == Array(0...10))
  }
}
