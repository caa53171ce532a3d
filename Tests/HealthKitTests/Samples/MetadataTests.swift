import HealthKit
import Testing

@Suite struct MetadataTests {
  @Test(arguments: StoreDepth.allCases)
  func `each kind of value is read with its type`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let given: [String: Any] = [
        "true": true, "false": NSNumber(value: false), "one": 1, "least": Int64.min, "most": UInt64.max,
        "real": 1.0, "third": 1.0 / 3, "text": "héllo\u{0}·", "empty": "",
        "date": Date(timeIntervalSinceReferenceDate: 0.1),
        "quantity": HKQuantity(unit: .degreeCelsius(), doubleValue: 36.6),
      ]
      try await store.save(heartRate(60, at: 0, metadata: given))
      let sample = try #require(try await everyHeartRate().result(for: store).first)
      let found = try #require(sample.metadata)
      #expect(found.count == given.count)
      #expect(found["true"] as? NSNumber === NSNumber(value: true))
      #expect(found["false"] as? NSNumber === NSNumber(value: false))
      #expect((found["one"] as? NSNumber).map { String(cString: $0.objCType) } == "i")
      #expect((found["real"] as? NSNumber).map { String(cString: $0.objCType) } == "d")
      #expect(found["one"] as? Int == 1)
      #expect(found["least"] as? Int64 == .min)
      #expect((found["most"] as? NSNumber)?.uint64Value == .max)
      #expect(found["third"] as? Double == 1.0 / 3)
      #expect(found["text"] as? String == "héllo\u{0}·")
      #expect(found["empty"] as? String == "")
      #expect(found["date"] as? Date == Date(timeIntervalSinceReferenceDate: 0.1))
      #expect(found["quantity"] as? HKQuantity == HKQuantity(unit: .degreeCelsius(), doubleValue: 36.6))
    }
  }

  @Test func `missing metadata is nil, and empty metadata is empty`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(1, at: 1), heartRate(2, at: 2, metadata: [:])])
    let found = try await everyHeartRate().result(for: store)
    #expect(found[0].metadata == nil)
    #expect(found[1].metadata?.isEmpty == true)
  }

  @Test func `checked metadata can be used for many samples`() async throws {
    let store = try HKHealthStore.inMemory()
    let shared = try ObjectMetadata([HKMetadataKeyHeartRateSensorLocation: 1])
    let samples = try (0..<3).map { second in
      try HKQuantitySample.make(
        uuid: UUID(), type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: beatsPerMinute, doubleValue: 60), start: moment(Double(second)),
        end: moment(Double(second)), device: nil, metadata: shared)
    }
    try await store.save(samples)
    let found = try await everyHeartRate().result(for: store)
    #expect(found.map { $0.metadata?[HKMetadataKeyHeartRateSensorLocation] as? Int } == [1, 1, 1])
  }
}
