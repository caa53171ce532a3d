import HealthKit
import Testing

@Suite struct ElectrocardiogramTests {
  private static let hertz = HKQuantity(unit: .hertz(), doubleValue: 512)
  private static let rate = HKQuantity(unit: beatsPerMinute, doubleValue: 61)

  private func measurement(
    at time: TimeInterval = 0, _ microvolts: Double = 12, unit: HKUnit = .voltUnit(with: .micro)
  ) throws -> HKElectrocardiogram.VoltageMeasurement {
    try HKElectrocardiogram.VoltageMeasurement(
      timeSinceSampleStart: time,
      voltages: [.appleWatchSimilarToLeadI: HKQuantity(unit: unit, doubleValue: microvolts)])
  }

  private func recording(
    times: [TimeInterval] = [0, 0.002, 0.004], samplingFrequency: HKQuantity? = hertz,
    averageHeartRate: HKQuantity? = rate, end: Date = moment(30), metadata: [String: Any]? = nil
  ) throws -> HKElectrocardiogram {
    try .make(
      start: moment(), end: end, voltageMeasurements: times.map { try measurement(at: $0) },
      samplingFrequency: samplingFrequency, classification: .sinusRhythm, averageHeartRate: averageHeartRate,
      symptomsStatus: .present, metadata: metadata)
  }

  @Test func `a recording keeps its values`() throws {
    let recording = try recording()
    #expect(recording.sampleType == .electrocardiogramType())
    #expect(recording.numberOfVoltageMeasurements == 3)
    #expect(recording.samplingFrequency == Self.hertz)
    #expect(recording.classification == .sinusRhythm)
    #expect(recording.averageHeartRate == Self.rate)
    #expect(recording.symptomsStatus == .present)
    #expect(recording.voltageMeasurements?.map(\.timeSinceSampleStart) == [0, 0.002, 0.004])
    #expect(recording.endDate == moment(30))
  }

  @Test func frequencyAndHeartRateMayBeMissing() throws {
    let recording = try recording(times: [], samplingFrequency: nil, averageHeartRate: nil)
    #expect(recording.numberOfVoltageMeasurements == 0)
    #expect(recording.samplingFrequency == nil)
    #expect(recording.averageHeartRate == nil)
  }

  @Test func unitsAreChecked() {
    let metre = HKQuantity(unit: .meter(), doubleValue: 1)
    #expect(throws: HKValidationError.self) { try recording(samplingFrequency: metre) }
    #expect(throws: HKValidationError.self) { try recording(averageHeartRate: metre) }
    #expect(throws: HKValidationError.self) { try measurement(unit: .meter()) }
  }

  @Test func aSamplingFrequencyIsPositive() {
    for value in [0, -512, Double.nan, .infinity] {
      let frequency = HKQuantity(unit: .hertz(), doubleValue: value)
      #expect(throws: HKValidationError.self) { try recording(samplingFrequency: frequency) }
    }
  }

  @Test func `voltages are in order of time`() {
    #expect(throws: HKValidationError.self) { try recording(times: [0, 0.004, 0.002]) }
    #expect(throws: HKValidationError.self) { try recording(times: [0, 0]) }
  }

  @Test func aMeasurementHasAFiniteTimeAndVoltage() {
    for time in [-0.001, .nan, .infinity] {
      #expect(throws: HKValidationError.self) { try measurement(at: time) }
    }
    #expect(throws: HKValidationError.self) { try measurement(at: 0, .nan) }
  }

  @Test func `dates and metadata are checked as for every sample`() {
    #expect(throws: HKValidationError.self) { try recording(end: moment(-1)) }
    #expect(throws: HKValidationError.self) { try recording(metadata: ["k": [1]]) }
  }

  @Test func `a measurement has a voltage per lead`() throws {
    let measurement = try measurement(at: 0.5, 12)
    #expect(measurement.timeSinceSampleStart == 0.5)
    let voltage = try #require(measurement.quantity(for: .appleWatchSimilarToLeadI))
    #expect(voltage.doubleValue(for: .voltUnit(with: .micro)) == 12)
    let empty = try HKElectrocardiogram.VoltageMeasurement(timeSinceSampleStart: 0, voltages: [:])
    #expect(empty.quantity(for: .appleWatchSimilarToLeadI) == nil)
  }

  @Test func measurementsAreEqualByTimeAndVoltage() throws {
    #expect(try measurement(at: 1, 2) == measurement(at: 1, 2))
    #expect(try measurement(at: 1, 2).hash == measurement(at: 1, 2).hash)
    #expect(try measurement(at: 1, 2) != measurement(at: 1, 3))
    #expect(try measurement(at: 1, 2) != measurement(at: 2, 2))
    let measurement = try measurement()
    #expect(measurement.copy() as? HKElectrocardiogram.VoltageMeasurement === measurement)
  }

  @Test func `an archive contains all values except the voltages`() throws {
    let recording = try recording()
    let found = try #require(try archived(recording))
    #expect(found == recording)
    #expect(found.numberOfVoltageMeasurements == 3)
    #expect(found.samplingFrequency == Self.hertz)
    #expect(found.classification == .sinusRhythm)
    #expect(found.averageHeartRate == Self.rate)
    #expect(found.symptomsStatus == .present)
    #expect(found.voltageMeasurements == nil)
    let bare = try self.recording(samplingFrequency: nil, averageHeartRate: nil)
    #expect(try archived(bare)?.samplingFrequency == nil)
    #expect(try archived(bare)?.averageHeartRate == nil)
  }

  @Test func `an archive with invalid values is rejected`() throws {
    let recording = try recording()
    for (old, new) in [(3, -3), (1, 7), (2, 3)] {
      #expect(try isRefused(recording, replacing: NSNumber(value: old), with: NSNumber(value: new)))
    }
    #expect(try isRefused(recording, replacing: "Hz" as NSString, with: "m" as NSString))
    #expect(try isRefused(recording, replacing: "count/min" as NSString, with: "m" as NSString))
  }
}
