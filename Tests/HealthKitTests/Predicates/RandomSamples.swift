import HealthStorage

@testable import HealthKit
@testable import TestSupport

/// Generates samples of all kinds, which are so similar that a predicate finds some but not all of them.
struct RandomSamples {
  var generator: SeededGenerator

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }

  mutating func flag() -> Bool { Bool.random(using: &generator) }

  // MARK: - Times, devices, sources

  mutating func date() -> Date { moment(Double(Int.random(in: 0...20, using: &generator)) / 2) }

  mutating func interval(of type: HKSampleType) throws -> SampleInterval {
    let dates = [date(), date()].sorted()
    return try SampleInterval(start: dates[0], end: flag() ? dates[0] : dates[1], of: type)
  }

  mutating func device() -> HKDevice? {
    guard flag() else { return nil }
    return HKDevice(
      name: pick([nil, "D", "E"]), manufacturer: pick([nil, "M"]), model: nil, hardwareVersion: nil,
      firmwareVersion: pick([nil, "1"]), softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
  }

  mutating func revision() -> HKSourceRevision {
    HKSourceRevision(
      source: HKSource(name: pick(["n", "m"]), bundleIdentifier: pick(["p", "q"])),
      version: pick([nil, "1"]),
      productType: pick([nil, "X"]),
      operatingSystemVersion: OperatingSystemVersion(
        majorVersion: pick([1, 2]), minorVersion: 0, patchVersion: 0))
  }

  // MARK: - Metadata

  mutating func value() -> Any {
    let values: [Any] = [
      "a", "abc", "*b", "", true, false, 0, 1, 2, 1.0, 1.5, UInt64.max, Int64.max, 9.223372036854775807e18,
      moment(1), moment(2), quantity([.meter(), .meterUnit(with: .kilo), .second()]),
    ]
    return pick(values)
  }

  mutating func key() -> String { pick(["k", "l"]) }

  mutating func metadata() -> [String: Any]? {
    guard flag() else { return nil }
    return flag() ? [key(): value()] : ["k": value(), "l": value()]
  }

  // MARK: - Quantities

  /// Small integers and their thousandfold, so that some values are equal in different units.
  mutating func quantity(_ units: [HKUnit]) -> HKQuantity {
    HKQuantity(unit: pick(units), doubleValue: pick([0, 1, 2, 1000, 2000]))
  }

  static let masses: [HKUnit] = [.gram(), .gramUnit(with: .kilo), .pound()]
  static let lengths: [HKUnit] = [.meter(), .meterUnit(with: .kilo), .mile()]
  static let energies: [HKUnit] = [.kilocalorie(), .smallCalorie(), .joule()]

  mutating func origin() throws -> ObjectOrigin { try ObjectOrigin(device: device(), metadata: metadata()) }

  mutating func quantitySample() throws -> HKSample {
    let (type, units) = pick([
      (HKQuantityType(.bodyMass), Self.masses), (HKQuantityType(.distanceWalkingRunning), Self.lengths),
    ])
    return HKQuantitySample.make(type, quantity(units), try interval(of: type), try origin())
  }

  mutating func categorySample() throws -> HKSample {
    let type = HKCategoryType(.sleepAnalysis)
    return HKCategorySample(type, value: pick([0, 1, 2, 3]), try interval(of: type), try origin())
  }

  mutating func correlation() throws -> HKSample {
    func pressure(_ type: HKQuantityTypeIdentifier, _ interval: SampleInterval) throws -> HKSample {
      HKQuantitySample.make(
        HKQuantityType(type), quantity([.millimeterOfMercury(), .pascal()]), interval, try origin())
    }
    let type = HKCorrelationType(.bloodPressure)
    let interval = try interval(of: type)
    let parts = [
      try pressure(.bloodPressureSystolic, interval), try pressure(.bloodPressureDiastolic, interval),
    ]
    return HKCorrelation(type, Set(parts), interval, try origin())
  }

  mutating func heartbeatSeries() throws -> HKSample {
    HKHeartbeatSeriesSample(count: 0, beats: [], try interval(of: HKSeriesType.heartbeat()), try origin())
  }
}

// MARK: - Samples that are stored as archives

extension RandomSamples {
  mutating func workout() throws -> HKSample {
    let interval = try interval(of: HKObjectType.workoutType())
    var parts = HKWorkout.Parts(activityType: pick([.running, .cycling]))
    parts.duration = pick([nil, 0, 5])
    parts.totals = WorkoutTotals(
      energyBurned: flag() ? quantity(Self.energies) : nil, distance: flag() ? quantity(Self.lengths) : nil,
      swimmingStrokeCount: flag() ? quantity([.count()]) : nil,
      flightsClimbed: flag() ? quantity([.count()]) : nil)
    parts.activities = flag() ? [activity(in: interval), activity(in: interval)] : []
    return HKWorkout(parts, interval, try origin())
  }

  private mutating func activity(in interval: SampleInterval) -> HKWorkoutActivity {
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = pick([.running, .cycling])
    let start = flag() ? interval.start : interval.end
    return HKWorkoutActivity(
      workoutConfiguration: configuration, start: start, end: pick([nil, start, interval.end]), metadata: nil)
  }

  mutating func electrocardiogram() throws -> HKSample {
    try HKElectrocardiogram.make(
      start: date(), end: moment(20), voltageMeasurements: [], samplingFrequency: nil,
      classification: pick([.sinusRhythm, .atrialFibrillation]), averageHeartRate: nil,
      symptomsStatus: pick([.none, .present]), device: device(), metadata: metadata())
  }

  mutating func stateOfMind() throws -> HKSample {
    HKStateOfMind(
      date: date(), kind: pick([.dailyMood, .momentaryEmotion]), valence: pick([-1, 0, 0.5]),
      labels: pick([[], [.calm], [.calm, .sad]]), associations: pick([[], [.work]]), metadata: metadata())
  }

  mutating func clinicalRecord() throws -> HKSample {
    let type = HKClinicalType(pick([.labResultRecord, .allergyRecord]))
    let resource = try HKFHIRResource(
      fhirVersion: HKFHIRVersion(fromVersionString: "4.0.1"), resourceType: pick([.observation, .condition]),
      identifier: pick(["1", "2"]), data: Data("{}".utf8), sourceURL: nil)
    return HKClinicalRecord(
      type, displayName: "n", flag() ? resource : nil, try interval(of: type), try origin())
  }

  mutating func verifiableRecord() throws -> HKSample {
    try HKVerifiableClinicalRecord.make(
      uuid: UUID(),
      VerifiableClinicalContent(
        recordTypes: [], issuerIdentifier: "i",
        subject: HKVerifiableClinicalRecordSubject(fullName: "n", dateOfBirthComponents: nil),
        issuedDate: moment(), relevantDate: date(), expirationDate: nil, itemNames: [], sourceType: nil,
        dataRepresentation: Data()), device: device(), metadata: nil)
  }

  mutating func concept() throws -> HKHealthConceptIdentifier {
    try HKHealthConceptIdentifier(domain: .medication, underlyingIdentifier: pick(["1", "2"]))
  }

  mutating func doseEvent() throws -> HKSample {
    let dose = MedicationDose(
      scheduleType: .asNeeded, medicationConceptIdentifier: try concept(),
      scheduledDate: flag() ? date() : nil,
      scheduledDoseQuantity: nil, doseQuantity: nil, logStatus: pick([.taken, .skipped]), unit: .count())
    let start = date()
    return try HKMedicationDoseEvent.make(
      uuid: UUID(), dose, start: start, end: start, device: device(), metadata: nil)
  }

  mutating func sample() throws -> HKSample {
    switch Int.random(in: 0..<18, using: &generator) {
    case 16...17, 0...3: try quantitySample()
    case 4...5: try categorySample()
    case 6: try correlation()
    case 7: try heartbeatSeries()
    case 8...9: try workout()
    case 10: try electrocardiogram()
    case 11: try stateOfMind()
    case 12...13: try clinicalRecord()
    case 14: try verifiableRecord()
    default: try doseEvent()
    }
  }
}
