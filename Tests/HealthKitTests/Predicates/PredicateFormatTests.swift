import Testing

@testable import HealthKit

/// Tests predicates that are written as format strings with Apple's key paths.
@Suite struct PredicateFormatTests {
  private let heartRates = HKSamplePredicate<HKQuantitySample>.quantitySample(
    type: HKQuantityType(.heartRate))

  /// Returns a store with four consecutive heart rates of a second each, with the values 1 to 4. The user
  /// entered the first one, the second one was measured, and the others have a note.
  private func store() async throws -> HKHealthStore {
    let store = try HKHealthStore.inMemory()
    try await store.save([
      heartRate(1, at: 0, lasting: 1, metadata: [HKMetadataKeyWasUserEntered: true]),
      heartRate(2, at: 1, lasting: 1, metadata: [HKMetadataKeyWasUserEntered: false]),
      heartRate(3, at: 2, lasting: 1, metadata: ["note": "Café au lait", "number": 3]),
      heartRate(4, at: 3, lasting: 1, metadata: ["note": "tea", "number": 4]),
    ])
    return store
  }

  private func values(_ predicate: NSPredicate) async throws -> [Double] {
    try await found(predicate, heartRates, in: store()).values
  }

  @available(*, deprecated)
  @Test func `a format equals the predicate of the factory method that Apple documents for it`() {
    func isSame(_ format: NSPredicate, _ factory: NSPredicate, at location: SourceLocation = #_sourceLocation)
    {
      #expect(format == factory, sourceLocation: location)
    }
    let (uuid, other) = (UUID(), UUID())
    isSame(
      NSPredicate(format: "%K == %@", HKPredicateKeyPathUUID, uuid), HKQuery.predicateForObject(with: uuid))
    for list in [[uuid, other] as NSArray, [uuid, other], Set([uuid, other])] as [Any] {
      isSame(
        NSPredicate(format: "%K IN %@", HKPredicateKeyPathUUID, list),
        HKQuery.predicateForObjects(with: [uuid, other]))
    }
    let source = HKSource(name: "S", bundleIdentifier: "s")
    isSame(
      NSPredicate(format: "%K = %@", HKPredicateKeyPathSource, source),
      HKQuery.predicateForObjects(from: source))
    let revision = HKSourceRevision(source: source, version: "1")
    isSame(
      NSPredicate(format: "%K IN %@", HKPredicateKeyPathSourceRevision, [revision]),
      HKQuery.predicateForObjects(from: [revision]))
    isSame(
      NSPredicate(format: "%K == %@", HKPredicateKeyPathDevice, HKDevice.local()),
      HKQuery.predicateForObjects(from: [HKDevice.local()]))
    isSame(
      NSPredicate(
        format: "%K.%K IN %@", HKPredicateKeyPathDevice, HKDevicePropertyKeyName, ["a", "b"]),
      HKQuery.predicateForObjects(withDeviceProperty: HKDevicePropertyKeyName, allowedValues: ["a", "b"]))
    isSame(
      NSPredicate(format: "%K = nil", HKPredicateKeyPathCorrelation),
      HKQuery.predicateForObjectsWithNoCorrelation())
    let workout = HKWorkout(activityType: .other, start: moment(), end: moment(1))
    isSame(
      NSPredicate(format: "%K == %@", HKPredicateKeyPathWorkout, workout),
      HKQuery.predicateForObjects(from: workout))

    let quantity = HKQuantity(unit: .meter(), doubleValue: 5)
    isSame(
      NSPredicate(format: "%K >= %@", HKPredicateKeyPathQuantity, quantity),
      HKQuery.predicateForQuantitySamples(with: .greaterThanOrEqualTo, quantity: quantity))
    isSame(
      NSPredicate(format: "%K > %d", HKPredicateKeyPathCategoryValue, 2),
      HKQuery.predicateForCategorySamples(with: .greaterThan, value: 2))
    isSame(
      NSPredicate(format: "%K == %lu", HKPredicateKeyPathWorkoutType, HKWorkoutActivityType.running.rawValue),
      HKQuery.predicateForWorkouts(with: .running))
    isSame(
      NSPredicate(format: "%K < %f", HKPredicateKeyPathWorkoutDuration, 60.0),
      HKQuery.predicateForWorkouts(with: .lessThan, duration: 60))
    isSame(
      NSPredicate(format: "%K < %@", HKPredicateKeyPathWorkoutTotalDistance, quantity),
      HKQuery.predicateForWorkouts(with: .lessThan, totalDistance: quantity))
    isSame(
      NSPredicate(
        format: "%K == %d", HKPredicateKeyPathECGClassification,
        HKElectrocardiogram.Classification.sinusRhythm.rawValue),
      HKQuery.predicateForElectrocardiograms(classification: .sinusRhythm))
    isSame(
      NSPredicate(
        format: "%K == %d", HKPredicateKeyPathStatus, HKMedicationDoseEvent.LogStatus.taken.rawValue),
      HKQuery.predicateForMedicationDoseEvent(status: .taken))
    isSame(
      NSPredicate(
        format: "%K = %@", HKPredicateKeyPathClinicalRecordFHIRResourceType,
        HKFHIRResourceType.observation.rawValue),
      HKQuery.predicateForClinicalRecords(withFHIRResourceType: .observation))
    isSame(
      NSPredicate(format: "%K == YES", HKUserAnnotatedMedicationPredicateKeyPathHasSchedule),
      NSPredicate(format: "hasSchedule = %@", argumentArray: [true]))
  }

  @Test func `dates are compared to the microsecond`() async throws {
    let two = moment(2)
    for (format, expected) in [
      ("%K < %@", [1.0, 2]), ("%K <= %@", [1, 2, 3]), ("%K == %@", [3]), ("%K != %@", [1, 2, 4]),
      ("%K >= %@", [3, 4]), ("%K > %@", [4]),
    ] {
      #expect(
        try await values(NSPredicate(format: format, HKPredicateKeyPathStartDate, two as NSDate)) == expected,
        "\(format)")
    }
    #expect(
      try await values(
        NSPredicate(format: "%K BETWEEN %@", HKPredicateKeyPathEndDate, [moment(2), moment(3)])) == [2, 3])
    #expect(try await values(NSPredicate(format: "%@ < endDate", moment(3))) == [4])
  }

  @Test func `a missing value is not equal, which excludes samples entered by the user`() async throws {
    let formats = ["metadata.%K != YES", "metadata.%K != true", "%K.%K <> 1", "NOT metadata.%K == TRUE"]
    for format in formats {
      let predicate =
        format.hasPrefix("%K")
        ? NSPredicate(format: format, HKPredicateKeyPathMetadata, HKMetadataKeyWasUserEntered)
        : NSPredicate(format: format, HKMetadataKeyWasUserEntered)
      #expect(try await values(predicate) == [2, 3, 4], "\(format)")
    }
    #expect(
      try await values(NSPredicate(format: "metadata.%K == YES", HKMetadataKeyWasUserEntered)) == [1])
    #expect(try await values(NSPredicate(format: "metadata.note != nil")) == [3, 4])
    #expect(try await values(NSPredicate(format: "metadata.%K == NULL", "note")) == [1, 2])
  }

  @Test func `metadata formats match like the factory methods, also with options for case and accents`()
    async throws
  {
    for (format, expected) in [
      ("metadata.number BETWEEN {2, 3.5}", [3.0]), ("metadata.number IN {4, 5}", [4]),
      ("metadata.note BEGINSWITH 'tea'", [4]), ("metadata.note BEGINSWITH[c] \"TE\"", [4]),
      ("metadata.note CONTAINS[d] 'Cafe'", [3]), ("metadata.note CONTAINS 'Cafe'", []),
      ("metadata.note ENDSWITH[cd] 'LÀIT'", [3]), ("metadata.note LIKE '*a? l*'", [3]),
      ("metadata.note LIKE 'a*'", []), ("metadata.note LIKE 'C*u lait'", [3]),
      ("metadata.note ==[cd] 'cafe au lait'", [3]), ("metadata.note == 'TEA'", []),
    ] { #expect(try await values(NSPredicate(format: format)) == expected, "\(format)") }
  }

  @Test func `NOT binds before AND, AND before OR, as words and as symbols`() async throws {
    for (format, expected) in [
      ("quantity == %@ OR quantity == %@ AND startDate > %@", [1.0, 4]),
      ("(quantity == %@ OR quantity == %@) && startDate > %@", [4]),
      ("quantity == %@ || !(quantity == %@) and startDate > %@", [1, 3]),
      ("NOT (quantity == %@ or quantity == %@ or startDate > %@)", [2]),
    ] {
      let predicate = NSPredicate(
        format: format,
        argumentArray: [
          HKQuantity(unit: beatsPerMinute, doubleValue: 1), HKQuantity(unit: beatsPerMinute, doubleValue: 4),
          moment(1),
        ])
      #expect(try await values(predicate) == expected, "\(format)")
    }
    #expect(try await values(NSPredicate(format: "TRUEPREDICATE")) == [1, 2, 3, 4])
    #expect(try await values(NSPredicate(format: "FALSEPREDICATE")) == [])
  }

  @Test func `a format can be combined with predicates of factory methods`() async throws {
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "metadata.%K != YES", HKMetadataKeyWasUserEntered),
      HKQuery.predicateForSamples(withStart: nil, end: moment(2), options: .strictStartDate),
    ])
    #expect(try await values(both) == [2])
  }

  @Test func `formats for days of activity summaries`() {
    func components(_ day: Int) -> DateComponents {
      DateComponents(calendar: Calendar(identifier: .gregorian), year: 2024, month: 5, day: day)
    }
    let path = HKPredicateKeyPathDateComponents
    #expect(
      NSPredicate(format: "%K = %@", path, components(4))
        == HKQuery.predicateForActivitySummary(with: components(4)))
    let window = NSPredicate(format: "%K BETWEEN %@", path, [components(3), components(5)])
    let days = (1...9).map { day in
      let summary = HKActivitySummary()
      summary.day = ActivityDay(year: 2024, month: 5, day: day)
      return summary
    }
    #expect(days.indices.filter { window.evaluate(with: days[$0]) } == [2, 3, 4])
    let late = NSPredicate(format: "%K > %@", path, components(7))
    #expect(days.indices.filter { late.evaluate(with: days[$0]) } == [7, 8])
  }

  @Test(arguments: [
    ("value > 2.5", "a whole number"), ("workoutType == -1", "activity type"), ("height > 5", "“height”"),
    ("count == 3", "“count”"), ("quantity > 5", "HKQuantity"),
    ("startDate > 'today'", "a Date"), ("startDate >", "missing"), ("startDate 5", "operator"),
    ("startDate ~ 5", "“~”"), ("(startDate > 5", "a Date"), ("metadata.a MATCHES '.*'", "regular expression"),
    ("ANY workoutActivity.duration > 5", "ANY"), ("SUBQUERY(a, b, c) > 3", "SUBQUERY"),
    ("any metadata.a == 1", "ANY"), ("NONE metadata.a IN {1}", "NONE"), ("ALL metadata.a > 1", "ALL"),
    ("NOT (metadata.a == 1 AND ANY metadata.b == 1)", "ANY"),
    ("metadata.a matches[c] 'b'", "regular expression"),
    ("metadata.a == 1 OR SUBQUERY(metadata, $x, $x.a == 1).@count > 0", "SUBQUERY is not supported"),
    ("$x == 1", "“$”"), ("metadata.a == 1 @", "“@”"), ("(metadata.a == 1 # 2)", "“#”"),
    ("'b' MATCHES metadata.a", "regular expression"), ("metadata.a == metadata.b", "a key path and a value"),
    ("metadata.a CONTAINS[x] 'b'", "[c], [d]"), ("metadata.a == %@", "placeholders"),
    ("metadata.a == 'b", "quotation mark"), ("metadata.a == 1 metadata.b", "after its end"),
    ("(metadata.a == 1", "parenthesis"), ("metadata.a BETWEEN {1}", "two values"),
    ("device.colour == 'red'", "device property"), ("5 == 5", "a key path and a value"), ("", "missing"),
    (String(repeating: "NOT ", count: 500) + "count == 3", "deep"),
  ])
  func `an unsupported format is an error with the reason`(format: String, reason: String) async throws {
    let store = try HKHealthStore.inMemory()
    let predicate = NSPredicate(format: format)
    let error = await #expect(throws: HKError.self) {
      try await everyHeartRate(predicate).result(for: store)
    }
    #expect(error?.code == .errorInvalidArgument)
    #expect(error?.localizedDescription.contains(reason) == true, "\(error?.localizedDescription ?? "")")
    let compound = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
    await expectFailure(.errorInvalidArgument) { try await everyHeartRate(compound).result(for: store) }
  }

  @Test func `arguments without a placeholder are an error`() async throws {
    let store = try HKHealthStore.inMemory()
    await expectFailure(.errorInvalidArgument) {
      try await everyHeartRate(NSPredicate(format: "metadata.a == %d", 1, 2)).result(for: store)
    }
  }

  @Test func `an invalid predicate is not evaluated for any object`() async {
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "SELF MATCHES %@", ".*").evaluate(with: "text")
    }
  }
}
