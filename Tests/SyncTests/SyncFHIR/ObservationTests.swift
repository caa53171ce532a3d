import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit

/// Tests the conversion of samples to Observations.
@Suite struct ObservationTests {
  private static let mapping = ObservationMapping(
    subject: FHIR.Reference(reference: "Patient/123"), performer: nil)

  private func observation(_ sample: HKSample) throws -> FHIR.Observation {
    try Self.mapping.observation(of: ExternalRecord(sample: sample)) { _ in
      FHIR.Reference(reference: "Device/1")
    }
  }

  @Test func `a heart rate is the vital sign of FHIR R4`() throws {
    let sample = heartRate(
      72.5, device: strap,
      metadata: [
        HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue as NSNumber
      ])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = String(decoding: try encoder.encode(try observation(sample)), as: UTF8.self)
    let apple = "http://developer.apple.com/documentation/healthkit"
    let uuid = sample.uuid.uuidString.lowercased()
    #expect(
      json == #"{"bodySite":{"text":"chest"},"#
        + #""category":[{"coding":[{"code":"vital-signs","display":"Vital Signs","#
        + #""system":"http://terminology.hl7.org/CodeSystem/observation-category"}]}],"#
        + #""code":{"coding":[{"code":"8867-4","display":"Heart rate","system":"http://loinc.org"},"#
        + #"{"code":"HKQuantityTypeIdentifierHeartRate","display":"Heart Rate","system":"\#(apple)"}]},"#
        + #""device":{"reference":"Device/1"},"effectiveDateTime":"2026-11-21T06:09:00.123456Z","#
        + #""identifier":[{"system":"urn:ietf:rfc:3986","value":"urn:uuid:\#(uuid)"}],"#
        + #""meta":{"profile":["http://hl7.org/fhir/StructureDefinition/heartrate"]},"#
        + #""resourceType":"Observation","status":"final","subject":{"reference":"Patient/123"},"#
        + #""valueQuantity":{"code":"/min","system":"http://unitsofmeasure.org","unit":"beats/minute","value":72.5}}"#
    )
  }

  @Test func `a vital sign is converted to the unit of its profile`() throws {
    let value = try observation(quantity(.heartRate, 1.25, "count/s")).valueQuantity
    #expect(value?.value == 75)
    #expect(value?.code == "/min")
    let weight = try observation(quantity(.bodyMass, 11, "st")).valueQuantity
    #expect(weight?.code == "kg")
    let pounds = try observation(quantity(.bodyMass, 154, "lb")).valueQuantity
    #expect(pounds?.value == 154)
    #expect(pounds?.code == "[lb_av]")
  }

  @Test func `energy keeps its unit and is not a vital sign`() throws {
    let energy = try observation(quantity(.activeEnergyBurned, 21, "kJ", lasting: 60))
    #expect(energy.code.coding?.first?.code == "41981-2")
    #expect(energy.valueQuantity == FHIR.Quantity(value: 21, unit: "kJ", system: UCUM.system, code: "kJ"))
    #expect(energy.category == nil)
    #expect(energy.meta == nil)
    #expect(energy.effectivePeriod?.end == "2026-11-21T06:10:00.123456Z")
  }

  @Test func `variability has a LOINC code and milliseconds`() throws {
    let variability = try observation(quantity(.heartRateVariabilitySDNN, 0.0425, "s"))
    #expect(variability.code.coding?.first?.code == "80404-7")
    #expect(variability.valueQuantity?.value == 42.5)
    #expect(variability.valueQuantity?.code == "ms")
  }

  @Test(arguments: [(0.57, 57.0), (0.98, 98), (0.975, 97.5), (1, 100)])
  func `HealthKit's fraction becomes UCUM's percent`(fraction: Double, percent: Double)
    throws
  {
    #expect(try observation(quantity(.oxygenSaturation, fraction, "%")).valueQuantity?.value == percent)
    #expect(try observation(quantity(.bodyFatPercentage, fraction, "%")).valueQuantity?.value == percent)
  }

  @Test func `beats have times, and a gap is marked at the beat after it`() throws {
    let record = try series(
      [(0, true), (0.8125, false), (1.62890625, false), (4.2, true), (1e-5 + 5, false)], device: strap)
    let observation = try Self.mapping.observation(of: record) { _ in nil }
    #expect(observation.valueSampledData?.data == "E 0 0.8125 1.62890625 E 4.2 5.00001")
    #expect(observation.valueSampledData?.period == 0)
    #expect(observation.valueSampledData?.origin.code == "s")
    #expect(observation.code.coding?.map(\.code) == ["HKDataTypeIdentifierHeartbeatSeries"])
    #expect(observation.effectivePeriod?.start == "2026-11-21T06:09:00.123456Z")
  }

  @Test func `a series without its beats is refused, not sent empty`() throws {
    let record = try series([(0, false), (1, false)], device: strap)
    #expect(throws: ObservationMapping.InexpressibleError.self) { try observation(record.sample) }
  }

  @Test func `a blood pressure is one observation with two components`() throws {
    let pressure = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: start, end: start,
      objects: [
        quantity(.bloodPressureSystolic, 121, "mmHg"), quantity(.bloodPressureDiastolic, 79, "mmHg"),
      ])
    let observation = try observation(pressure)
    #expect(observation.code.coding?.first?.code == "85354-9")
    #expect(observation.meta?.profile == ["http://hl7.org/fhir/StructureDefinition/bp"])
    #expect(observation.component?.map { $0.code.coding?.first?.code } == ["8480-6", "8462-4"])
    #expect(observation.component?.map(\.valueQuantity?.value) == [121, 79])
    #expect(observation.component?.allSatisfy { $0.valueQuantity?.code == "mm[Hg]" } == true)
  }

  @Test func `the quantities of a series are sent with its average`() throws {
    let sample = quantity(.heartRate, 80, "count/min")
    let quantities = (0..<3).map { index in
      ExternalRecord.MeasuredQuantity(
        value: 79 + Double(index),
        interval: DateInterval(start: start.addingTimeInterval(Double(index) * 20), duration: 0.5))
    }
    let record = ExternalRecord(sample: sample, series: .quantities(quantities))
    let observation = try Self.mapping.observation(of: record) { _ in nil }
    #expect(observation.valueQuantity?.value == 80)
    #expect(observation.component?.map(\.valueSampledData?.data) == ["0 20 40", "0.5 20.5 40.5", "79 80 81"])
    #expect(observation.component?.last?.valueSampledData?.origin.code == "/min")
  }

  @Test func `a category is its raw value in the code system of its enumeration`() throws {
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepREM.rawValue,
      start: start, end: start.addingTimeInterval(1800))
    let observation = try observation(sleep)
    #expect(
      observation.valueCodeableConcept?.coding == [
        FHIR.Coding(
          system: "https://developer.apple.com/documentation/healthkit/hkcategoryvaluesleepanalysis",
          code: "5", display: "asleepREM")
      ])
    #expect(observation.code.coding?.last?.display == "Sleep Analysis")
  }

  @Test func `each sent type and each category value has a display text`() throws {
    for case let type as HKCategoryType in HKSampleType.known {
      for value in type.traits.values {
        let sample = HKCategorySample(
          type: type, value: value, start: start, end: start.addingTimeInterval(60),
          metadata: type.requiredMetadataKey.map { [$0: 1 as NSNumber] })
        let coding = try observation(sample).valueCodeableConcept?.coding?.first
        #expect(coding?.display?.isEmpty == false, "\(type.identifier) \(value)")
      }
    }
    for (type, words) in [
      (HKQuantityType(.heartRateVariabilitySDNN), "Heart Rate Variability SDNN"),
      (HKQuantityType(.vo2Max), "VO2 Max"), (HKQuantityType(.uvExposure), "UV Exposure"),
      (HKCorrelationType(.bloodPressure), "Blood Pressure"), (HKSeriesType.heartbeat(), "Heartbeat Series"),
    ] as [(HKSampleType, String)] {
      #expect(FHIR.CodeableConcept(type).coding?.last?.display == words)
    }
  }

  @Test func `whether a type becomes an Observation is known before anything is sent`() throws {
    for type in HKSampleType.known {
      let reason = ObservationMapping.reasonToReject(type)
      let isSent = type is HKQuantityType || type is HKCategoryType || type is HKCorrelationType
      #expect((reason == nil) == (isSent || type == HKSeriesType.heartbeat()), "\(type.identifier)")
    }
  }

  @Test func `a sample without an end has no end time`() throws {
    let contraceptive = HKCategorySample(
      type: HKCategoryType(.contraceptive), value: 1, start: start, end: .distantFuture)
    #expect(try observation(contraceptive).effectivePeriod?.end == nil)
  }

  // MARK: - Time

  @Test(arguments: [
    ("Europe/Berlin", "2026-11-21T07:09:00.123456+01:00"),
    ("America/St_Johns", "2026-11-21T02:39:00.123456-03:30"),
    ("Pacific/Kiritimati", "2026-11-21T20:09:00.123456+14:00"),
    ("Nowhere/City", "2026-11-21T06:09:00.123456Z"),
  ])
  func `a time has the offset of the zone that the sample names`(zone: String, text: String) throws {
    let sample = heartRate(metadata: [HKMetadataKeyTimeZone: zone])
    #expect(try observation(sample).effectiveDateTime == text)
  }

  @Test func `the offset is that of the sample's day, not of today`() throws {
    let zone = TimeZone(identifier: "Europe/Berlin")
    let summer = Date(timeIntervalSince1970: 1_782_799_740)
    #expect(FHIRInstant.text(summer, in: zone) == "2026-06-30T08:09:00.000000+02:00")
    #expect(FHIRInstant.text(Date(timeIntervalSince1970: -0.5), in: nil) == "1969-12-31T23:59:59.500000Z")
    // The offset of this time is 53 min 28 s, because it is local mean time. FHIR offsets have no seconds.
    let old = Date(timeIntervalSince1970: -3_000_000_000)
    #expect(FHIRInstant.text(old, in: zone) == "1874-12-07T19:33:00.000000+00:53")
  }

  @Test func `a time outside FHIR's calendar is refused`() throws {
    #expect(FHIRInstant.text(Date(timeIntervalSince1970: -1e11), in: nil) == nil)
    #expect(FHIRInstant.text(.distantFuture.addingTimeInterval(1e12), in: nil) == nil)
    #expect(FHIRInstant.text(Date(timeIntervalSinceReferenceDate: .infinity), in: nil) == nil)
    let sample = HKQuantitySample(
      type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 1),
      start: Date(timeIntervalSince1970: -1e11), end: Date(timeIntervalSince1970: -1e11))
    #expect(throws: ObservationMapping.InexpressibleError.self) { try observation(sample) }
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `Retry-After accepts the three date formats, relative to the server's clock`(text: String) {
    #expect(RetryAfter.httpDate(text) == Date(timeIntervalSince1970: 784_111_777))
    let wait = RetryAfter.wait(text, date: "Sun, 06 Nov 1994 08:49:07 GMT", now: .distantPast)
    #expect(wait == .seconds(30))
  }

  @Test(arguments: [
    "", "soon", "-5", "99 Foo", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 99:49:37 GMT",
  ])
  func `an invalid Retry-After is ignored`(text: String) {
    #expect(RetryAfter.wait(text, date: nil) == nil)
  }

  // MARK: - Units and names

  @Test(arguments: [
    ("count/min", "/min", 1.0), ("count", "{count}", 1), ("%", "%", 100), ("mmHg", "mm[Hg]", 1),
    ("IU", "[iU]", 1), ("kcal/hr·kg", "kcal/(h.kg)", 1), ("mL/min·kg", "mL/(min.kg)", 1),
    ("in", "[in_i]", 1), ("Hz", "Hz", 1), ("dBASPL", "dB[SPL]", 1), ("mcg", "ug", 1), ("degF", "[degF]", 1),
    ("mmol<180.1558800000541>/L", "mmol/L", 1), ("kg/m^2", "kg/m2", 1), ("1/s", "/s", 1), ("()", "1", 1),
    ("m/s", "m/s", 1), ("daL", "daL", 1), ("mol<18>", "mol", 1), ("cmAq", "cm[H2O]", 1),
    ("pD", "[p'diop]", 1),
  ])
  func `units have UCUM codes`(unit: String, code: String, factor: Double) throws {
    let found = try #require(UCUM.code(for: HKUnit(from: unit)))
    #expect(found.code == code)
    #expect(found.factor == factor)
  }

  @Test(arguments: ["dBHL", "cup_imp", "dBHL/s"])
  func `a unit without a UCUM code has only its name`(unit: String) {
    #expect(UCUM.code(for: HKUnit(from: unit)) == nil)
  }

  @Test func `characters that FHIR does not allow are removed from a device`() throws {
    let device = FHIR.Device(strap)
    #expect(device.deviceName?.map(\.name) == ["Strap \u{FFFD}H10"])
    #expect(device.identifier?.map(\.value) == ["A0-9E-1A-CF-70-1B"])
    #expect(device.version?.map(\.value) == ["00760690.03", "3.1.1"])
    let empty = HKDevice(
      name: " ", manufacturer: "", model: nil, hardwareVersion: nil, firmwareVersion: nil,
      softwareVersion: nil,
      localIdentifier: "a0:9e:1a:cf:70:1b|evil", udiDeviceIdentifier: "(01)00844588003288")
    let bare = FHIR.Device(empty)
    #expect(
      bare.deviceName == nil && bare.manufacturer == nil && bare.identifier == nil && bare.version == nil)
    #expect(bare.udiCarrier?.map(\.deviceIdentifier) == ["(01)00844588003288"])
  }
}

/// The table of LOINC codes and units.
@Suite struct QuantityCodeTests {
  @Test func `each code has an existing type and compatible units`() throws {
    #expect(QuantityCode.byIdentifier.count == QuantityCode.table.count)
    for code in QuantityCode.table {
      let type = try #require(HKQuantityType.quantityType(forIdentifier: code.identifier))
      for unit in code.units { #expect(type.is(compatibleWith: HKUnit(from: unit.healthKit))) }
      #expect((code.evidence == .vitalSigns) == (code.profile != nil) || code.units.first?.ucum == "mm[Hg]")
    }
  }
}
