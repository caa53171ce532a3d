import HealthKit
import Testing

@Suite struct CategoryAndCorrelationTests {
  private func quantity(_ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: HKUnit) -> HKSample {
    HKQuantitySample(
      type: HKQuantityType(type), quantity: HKQuantity(unit: unit, doubleValue: value), start: moment(),
      end: moment())
  }

  @Test func `an ongoing sample has no end if its type allows that`() throws {
    let pregnancy = try HKCategorySample.validated(
      type: HKCategoryType(.pregnancy), value: 0, start: moment(), end: .distantFuture)
    #expect(pregnancy.hasUndeterminedDuration)
    #expect(throws: HKValidationError.self) {
      try HKCategorySample.validated(
        type: HKCategoryType(.sleepAnalysis), value: 0, start: moment(), end: .distantFuture)
    }
  }

  @Test func `some types require metadata`() {
    #expect(throws: HKValidationError.self) {
      try HKCategorySample.validated(
        type: HKCategoryType(.menstrualFlow), value: 2, start: moment(), end: moment())
    }
    let units = HKQuantity(unit: .internationalUnit(), doubleValue: 4)
    #expect(throws: HKValidationError.self) {
      try HKQuantitySample.validated(
        type: HKQuantityType(.insulinDelivery), quantity: units, start: moment(), end: moment(),
        metadata: ["other": 1])
    }
    let sample = HKQuantitySample(
      type: HKQuantityType(.insulinDelivery), quantity: units, start: moment(), end: moment(),
      metadata: [HKMetadataKeyInsulinDeliveryReason: HKInsulinDeliveryReason.bolus.rawValue])
    #expect(sample.metadata?.count == 1)
  }

  @Test func `the unit of a session estimate must match the type`() {
    func sample(_ unit: HKUnit) throws -> HKSample {
      try HKQuantitySample.validated(
        type: HKQuantityType(.bodyMass),
        quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 70), start: moment(), end: moment(),
        metadata: [HKMetadataKeySessionEstimate: HKQuantity(unit: unit, doubleValue: 1)])
    }
    #expect((try? sample(.pound())) != nil)
    #expect((try? sample(.meter())) == nil)
  }

  @Test func `durations have limits`() throws {
    let exposure = HKQuantityType(.environmentalAudioExposure)
    #expect(exposure.isMinimumDurationRestricted && exposure.minimumAllowedDuration == 0.001)
    #expect(!exposure.isMaximumDurationRestricted)
    let level = HKQuantity(unit: .decibelAWeightedSoundPressureLevel(), doubleValue: 60)
    #expect(throws: HKValidationError.self) {
      try HKQuantitySample.validated(type: exposure, quantity: level, start: moment(), end: moment())
    }
    _ = try HKQuantitySample.validated(type: exposure, quantity: level, start: moment(), end: moment(0.002))
    let document = HKDocumentType(.CDA)
    #expect(document.isMaximumDurationRestricted && document.maximumAllowedDuration == 345_600)
    #expect(!HKQuantityType(.heartRate).isMinimumDurationRestricted)
  }

  @Test func `a missing limit cannot be read`() async {
    await #expect(processExitsWith: .failure) {
      _ = HKQuantityType(.heartRate).maximumAllowedDuration
    }
  }

  @Test func `dates are kept exactly`() {
    let start = Date(timeIntervalSinceReferenceDate: 1.000_000_123_4)
    let sample = HKQuantitySample(
      type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: beatsPerMinute, doubleValue: 60),
      start: start, end: start)
    #expect(sample.startDate == start && sample.endDate == start)
    let old = HKQuantitySample(
      type: HKQuantityType(.height), quantity: HKQuantity(unit: .meter(), doubleValue: 1.7),
      start: Date(timeIntervalSince1970: -2_500_000_000),
      end: Date(timeIntervalSince1970: -2_500_000_000 + 42))
    #expect(old.endDate.timeIntervalSince(old.startDate) == 42)
  }

  @Test func `a new sample has no source, and the class of its type`() {
    let sample = quantity(.heartRate, 60, beatsPerMinute)
    #expect(sample is HKDiscreteQuantitySample)
    #expect(quantity(.stepCount, 1, .count()) is HKCumulativeQuantitySample)
    #expect(sample.sourceRevision.source.bundleIdentifier == "")
    #expect(sample.metadata == nil)
    #expect(sample != quantity(.heartRate, 60, beatsPerMinute))
  }

  @Test func `the description of a sample has its values`() {
    #expect(quantity(.heartRate, 60, beatsPerMinute).description.hasPrefix("60 count/min "))
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: 3, start: moment(), end: moment(1))
    #expect(sleep.description.hasPrefix("HKCategoryTypeIdentifierSleepAnalysis 3 \(sleep.uuid)"))
  }

  @Test func `the initializer of a subclass returns an instance of it`() {
    let steps = HKCumulativeQuantitySample(
      type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 3),
      start: moment(), end: moment())
    #expect(steps.sumQuantity.doubleValue(for: .count()) == 3)
  }

  @Test func `the class of a sample can be chosen by name, for all aggregation styles`() async throws {
    let depth = HKCumulativeQuantitySample(
      type: HKQuantityType(.underwaterDepth), quantity: HKQuantity(unit: .meter(), doubleValue: 12),
      start: moment(), end: moment(1))
    #expect(depth.sumQuantity == HKQuantity(unit: .meter(), doubleValue: 12))
    let steps = HKDiscreteQuantitySample(
      type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 3),
      start: moment(), end: moment(1))
    #expect(steps.maximumQuantity == steps.averageQuantity)
    #expect(
      try HKCumulativeQuantitySample.validated(
        type: depth.quantityType, quantity: depth.quantity, start: moment(), end: moment())
        is HKCumulativeQuantitySample)

    let archived = try NSKeyedArchiver.archivedData(withRootObject: depth, requiringSecureCoding: true)
    let unarchived = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantitySample.self, from: archived)
    #expect(unarchived is HKCumulativeQuantitySample)

    let store = try HKHealthStore.inMemory()
    try await store.save(depth)
    let found = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: depth.quantityType)], sortDescriptors: []
    ).result(for: store)
    #expect(found == [depth])
    #expect(found.first is HKDiscreteQuantitySample)
  }

  @Test func `metadata numbers are read unchanged`() throws {
    let metadata: [String: Any] = [
      "int": 3, "double": 1.1, "float": Float(0.5), "cgfloat": CGFloat(2.5), "true": true, "false": false,
      "zero": 0, "number": NSNumber(value: false), "string": "s", "big": UInt64.max,
    ]
    let sample = try HKQuantitySample.validated(
      type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: .hertz(), doubleValue: 1), start: moment(),
      end: moment(), metadata: metadata)
    let back = try #require(sample.metadata)
    #expect(back["int"] as? Int == 3)
    #expect(back["double"] as? Double == 1.1)
    #expect(back["float"] as? Double == 0.5)
    #expect(back["cgfloat"] as? Double == 2.5)
    #expect(back["true"] as? Bool == true)
    #expect(back["string"] as? String == "s")
    #expect((back["big"] as? NSNumber)?.uint64Value == .max)
    func isBool(_ value: Any?) -> Bool {
      (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
    }
    #expect(isBool(back["false"]) && isBool(back["number"]) && isBool(back["true"]))
    #expect(!isBool(back["zero"]) && !isBool(back["int"]))
  }

  @Test func `changes of a metadata dictionary do not affect earlier samples`() throws {
    var metadata: [String: Any] = ["k": 1]
    func sample() throws -> HKSample {
      try HKQuantitySample.validated(
        type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: .hertz(), doubleValue: 1),
        start: moment(), end: moment(), metadata: metadata)
    }
    let first = try sample()
    metadata["k"] = 2
    let second = try sample()
    #expect(first.metadata?["k"] as? Int == 1)
    #expect(second.metadata?["k"] as? Int == 2)
    let text = NSMutableString(string: "a")
    metadata = ["k": text]
    let third = try sample()
    text.append("b")
    #expect(third.metadata?["k"] as? String == "a")
    #expect(try sample().metadata?["k"] as? String == "ab")
  }

  @Test func `a blood pressure has two values`() {
    let systolic = quantity(.bloodPressureSystolic, 120, .millimeterOfMercury())
    let diastolic = quantity(.bloodPressureDiastolic, 80, .millimeterOfMercury())
    let pressure = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: moment(), end: moment(), objects: [systolic, diastolic])
    #expect(pressure.objects.count == 2)
    #expect(pressure.objects(for: HKQuantityType(.bloodPressureSystolic)) == [systolic])
    #expect(pressure.objects(for: HKQuantityType(.heartRate)).isEmpty)
  }

  @Test func `samples of other types are rejected in a correlation`() {
    func refuse(
      _ type: HKCorrelationTypeIdentifier, _ objects: Set<HKSample>,
      _ location: SourceLocation = #_sourceLocation
    ) {
      #expect(throws: HKValidationError.self, sourceLocation: location) {
        try HKCorrelation.validated(
          type: HKCorrelationType(type), start: moment(), end: moment(), objects: objects)
      }
    }
    refuse(.bloodPressure, [])
    refuse(.bloodPressure, [quantity(.heartRate, 60, beatsPerMinute)])
    refuse(.food, [quantity(.heartRate, 60, beatsPerMinute)])
    refuse(.food, [HKWorkout(activityType: .running, start: moment(), end: moment(1))])
    let vitamin = quantity(.dietaryVitaminC, 1, .gram())
    #expect(
      HKCorrelation(
        type: HKCorrelationType(.food), start: moment(), end: moment(), objects: [vitamin],
        metadata: [HKMetadataKeyFoodType: "orange"]
      ).objects == [vitamin])
  }
}
