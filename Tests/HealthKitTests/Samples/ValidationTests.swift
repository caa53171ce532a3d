import HealthKit
import Testing

@Suite struct ValidationTests {
  private func attempt(
    _ quantity: HKQuantity = HKQuantity(unit: beatsPerMinute, doubleValue: 60), start: Date = moment(),
    end: Date = moment(), metadata: [String: Any]? = nil
  ) throws -> HKQuantitySample {
    try .validated(
      type: HKQuantityType(.heartRate), quantity: quantity, start: start, end: end, metadata: metadata)
  }

  @Test func `valid samples are accepted`() throws {
    #expect(try attempt().startDate == moment())
    #expect(try attempt(HKQuantity(unit: .hertz(), doubleValue: 1)).count == 1)
  }

  @Test func unitsDatesAndNumbersAreChecked() {
    #expect(throws: HKValidationError.self) { try attempt(HKQuantity(unit: .meter(), doubleValue: 1)) }
    #expect(throws: HKValidationError.self) { try attempt(start: moment(1), end: moment()) }
    #expect(throws: HKValidationError.self) { try attempt(start: Date(timeIntervalSinceReferenceDate: .nan)) }
    #expect(throws: HKValidationError.self) { try attempt(end: Date(timeIntervalSince1970: 1e300)) }
  }

  @Test func `a value that is not finite can be created but not saved`() async throws {
    let store = try HKHealthStore.inMemory()
    for value in [Double.nan, .infinity, -.infinity] {
      let sample = try attempt(HKQuantity(unit: beatsPerMinute, doubleValue: value))
      await expectFailure(.errorInvalidArgument) { try await store.save(sample) }
    }
  }

  @Test func metadataValuesAreStringsNumbersDatesAndQuantities() {
    for value in [[1], Data(), UUID(), Double.nan] as [Any] {
      #expect(throws: HKValidationError.self) { try attempt(metadata: ["k": value]) }
    }
  }

  @Test func aSyncIdentifierNeedsAVersionAndViceVersa() {
    for metadata in [
      [HKMetadataKeySyncIdentifier: "x"], [HKMetadataKeySyncVersion: 1],
      [HKMetadataKeySyncIdentifier: "x", HKMetadataKeySyncVersion: 1.5],
      [HKMetadataKeySyncIdentifier: 1, HKMetadataKeySyncVersion: 1],
    ] as [[String: Any]] {
      #expect(throws: HKValidationError.self) { try attempt(metadata: metadata) }
    }
  }

  @Test func `predefined keys accept only their type of value`() throws {
    let metres = HKQuantity(unit: .meter(), doubleValue: 1)
    for metadata in [
      [HKMetadataKeyTimeZone: 1], [HKMetadataKeyHeartRateSensorLocation: "chest"],
      [HKMetadataKeyDateOfEarliestDataUsedForEstimate: 1], [HKMetadataKeyWeatherTemperature: metres],
      [HKMetadataKeyWeatherTemperature: 20],
    ] as [[String: Any]] {
      #expect(throws: HKValidationError.self) { try attempt(metadata: metadata) }
    }
    _ = try attempt(metadata: [
      HKMetadataKeyWeatherTemperature: HKQuantity(unit: .degreeFahrenheit(), doubleValue: 70),
      HKMetadataKeyLapLength: metres, HKMetadataKeyWasUserEntered: true,
    ])
  }

  @Test func `an error's reason contains no value`() {
    do {
      _ = try attempt(HKQuantity(unit: .meter(), doubleValue: 123.75))
      Issue.record("metres became a heart rate")
    } catch {
      #expect(!"\(error)".contains("123.75"))
    }
  }

  @Test func `the initializer traps if Apple's raises an exception`() async {
    await #expect(processExitsWith: .failure) {
      _ = HKQuantitySample(
        type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: .meter(), doubleValue: 1),
        start: moment(),
        end: moment())
    }
  }
}

func isInvalidArgument(_ error: any Error) -> Bool { HKError.errorInvalidArgument ~= error }
