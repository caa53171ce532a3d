import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit

@Suite struct LineTests {
  private static let hostile = "a\"b,c\nd\r\u{1B}[31m\u{2028}\u{202E}\\é\u{0}x"

  private static let strap = HKDevice(
    name: hostile, manufacturer: "Polar, \"Oy\"", model: nil, hardwareVersion: "\n", firmwareVersion: nil,
    softwareVersion: nil, localIdentifier: "A0:9E:1A:CF:70:1B", udiDeviceIdentifier: nil)

  private let sample = heartRate(
    72.5, device: strap, source: hostile,
    metadata: [
      "note": hostile, "flag": true, "number": 3, "share": 0.25,
      "when": Date(timeIntervalSince1970: 0.000001),
      "weight": HKQuantity(unit: HKUnit(from: "kg"), doubleValue: 70),
    ])

  @Test func `JSON escapes every character and has one line`() throws {
    let line = try LineFormat(.ndjson, person: "Ada").lines(of: ExternalRecord(sample: sample), at: start)
    #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
    #expect(line.hasSuffix("}\n"))
    let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["uuid"] as? String == sample.uuid.uuidString)
    #expect(object["start"] as? String == "2026-11-21T06:09:00.123456Z")
    #expect(object["value"] as? Double == 72.5)
    #expect(object["unit"] as? String == "count/min")
    #expect((object["source"] as? [String: Any])?["name"] as? String == Self.hostile)
    let metadata = object["metadata"] as? [String: Any]
    #expect(metadata?["note"] as? String == Self.hostile)
    #expect(metadata?["when"] as? String == "1970-01-01T00:00:00.000001Z")
    #expect((metadata?["weight"] as? [String: Any])?["unit"] as? String == "kg")
  }

  @Test func `CSV has one line with the fields of the header`() throws {
    let line = try LineFormat(.csv, person: "Ada").lines(of: ExternalRecord(sample: sample), at: start)
    #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
    let fields = Self.fields(line.dropLast())
    let names = SampleLine.csvHeading.split(separator: ",").map(String.init)
    #expect(fields.count == names.count)
    let named = Dictionary(zip(names, fields), uniquingKeysWith: { first, _ in first })
    #expect(named["deviceManufacturer"] == "Polar, \"Oy\"")
    #expect(
      named["sourceName"] == #"a"b,c\nd\r\u{1B}[31m\u{2028}\u{202E}\é\0x"#)
    #expect(named["value"] == "72.5")
  }

  /// Returns the fields of a line (RFC 4180, without line breaks in fields).
  private static func fields(_ line: Substring) -> [String] {
    var fields = [""]
    var isQuoted = false
    var previous: Character?
    for character in line {
      if character == "\"" {
        if !isQuoted, previous == "\"" { fields[fields.count - 1].append("\"") }
        isQuoted.toggle()
      } else if character == ",", !isQuoted {
        fields.append("")
      } else {
        fields[fields.count - 1].append(character)
      }
      previous = character
    }
    return fields
  }

  @Test func `a line contains the beats or quantities of a series`() throws {
    let record = try series([(0, true), (0.8125, false), (4.5, true)])
    let json = try LineFormat(.ndjson, person: "Ada").lines(of: record, at: start)
    #expect(
      json.contains(
        #""beats":[{"offset":0,"precededByGap":true},{"offset":0.8125,"precededByGap":false},"#
          + #"{"offset":4.5,"precededByGap":true}]"#))
    #expect(try LineFormat(.csv, person: "Ada").lines(of: record, at: start).contains(",|0.0 0.8125 |4.5,"))
    let many = ExternalRecord(
      sample: sample,
      series: .quantities([.init(value: 71, interval: DateInterval(start: start, duration: 1))]))
    #expect(
      try LineFormat(.ndjson, person: "Ada").lines(of: many, at: start).contains(
        #""quantities":[{"end":"2026-11-21T06:09:01.123456Z","start":"2026-11-21T06:09:00.123456Z","value":71}]"#
      ))
  }

  /// Returns the fields of a CSV line by name.
  private func table(_ sample: HKSample) throws -> [String: String] {
    let line = try LineFormat(.csv, person: "Ada").lines(of: ExternalRecord(sample: sample), at: start)
    let names = SampleLine.csvHeading.split(separator: ",").map(String.init)
    let fields = Self.fields(line.dropLast())
    #expect(fields.count == names.count)
    return Dictionary(zip(names, fields), uniquingKeysWith: { first, _ in first })
  }

  private func object(_ sample: HKSample) throws -> NSDictionary {
    let line = try LineFormat(.ndjson, person: "Ada").lines(of: ExternalRecord(sample: sample), at: start)
    return try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
  }

  @Test func `a workout has its activity, duration, totals and events, but no value`() throws {
    let pause = HKWorkoutEvent(
      type: .pause, dateInterval: DateInterval(start: start + 60, duration: 0), metadata: ["lap": 3])
    let workout = HKWorkout(
      activityType: .running, start: start, end: start + 600, workoutEvents: [pause],
      totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 80.5),
      totalDistance: HKQuantity(unit: .meter(), doubleValue: 1500), metadata: nil)
    let object = try object(workout)
    #expect(
      object["activityType"] as? String == "running" && object["duration"] as? Double == workout.duration)
    #expect(object["totalDistance"] as? NSDictionary == ["value": 1500, "unit": "m"])
    #expect(object["totalEnergyBurned"] as? NSDictionary == ["value": 80.5, "unit": "kcal"])
    let time = "2026-11-21T06:10:00.123456Z"
    let events: NSArray = [["type": "pause", "start": time, "end": time, "metadata": ["lap": 3]]]
    #expect(object["events"] as? NSArray == events)
    #expect(object["value"] == nil && object["totalFlightsClimbed"] == nil && object["members"] == nil)
    let table = try table(workout)
    #expect(table["activityType"] == "running" && table["duration"] == "\(workout.duration)")
    #expect(table["totalDistance"] == "1500.0 m" && table["totalEnergyBurned"] == "80.5 kcal")
    #expect(table["events"]?.contains(#""type":"pause""#) == true && table["value"] == "")
  }

  @Test func `a correlation has its members, and a category its value by name`() throws {
    let members = [
      quantity(.bloodPressureSystolic, 120, "mmHg"), quantity(.bloodPressureDiastolic, 80, "mmHg"),
    ]
    let pressure = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: start, end: start, objects: Set(members))
    let encoded = try object(pressure)["members"] as? [NSDictionary]
    #expect(encoded?.map { $0["value"] as? Double } == [80, 120])
    #expect(try encoded == [object(members[1]), object(members[0])])
    #expect(try table(pressure)["members"]?.contains("BloodPressureSystolic") == true)
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: 3, start: start, end: start + 60)
    #expect(
      try object(sleep)["valueName"] as? String == "asleepCore" && table(sleep)["valueName"] == "asleepCore")
    #expect(try table(sleep)["value"] == "3.0")
    // New columns are added at the end, so the older fields keep their columns.
    #expect(
      SampleLine.csvHeading.hasPrefix("uuid,type,start,end,value,unit,beats,sourceName,")
        && SampleLine.csvHeading.contains("deviceLocalIdentifier,metadata,valueName,"))
  }

  // MARK: - Open mHealth

  private func points(_ record: ExternalRecord) throws -> [[String: Any]] {
    try LineFormat(.omh, person: "Ada").lines(of: record, at: Date(timeIntervalSince1970: 1_800_000_000))
      .split(separator: "\n").compactMap {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
  }

  @Test func `a heart rate is a data point of omh heart-rate 2.0`() throws {
    let moving = heartRate(
      metadata: [HKMetadataKeyHeartRateMotionContext: HKHeartRateMotionContext.active.rawValue as NSNumber])
    let line = try LineFormat(.omh, person: "Ada").lines(
      of: ExternalRecord(sample: moving), at: Date(timeIntervalSince1970: 1_800_000_000))
    let uuid = moving.uuid.uuidString
    #expect(
      line
        == #"{"body":{"effective_time_frame":{"date_time":"2026-11-21T06:09:00.123456Z"},"#
        + #""heart_rate":{"unit":"beats/min","value":72},"#
        + #""temporal_relationship_to_physical_activity":"active"},"#
        + #""header":{"acquisition_provenance":{"modality":"sensed","source_data_point_id":"\#(uuid)","#
        + #""source_name":"Strap"},"creation_date_time":"2027-01-15T08:00:00.000000Z","id":"\#(uuid)","#
        + #""schema_id":{"name":"heart-rate","namespace":"omh","version":"2.0"},"user_id":"Ada"}}"# + "\n")
  }

  @Test func `each interval between beats is a data point, except across a gap`() throws {
    let record = try series([(0, true), (0.8125, false), (1.625, false), (9, true), (9.75, false)])
    let points = try points(record)
    #expect(
      points.map { (($0["body"] as? [String: Any])?["rr_interval"] as? [String: Any])?["value"] as? Double }
        == [812.5, 812.5, 750])
    #expect(
      points.map { ($0["header"] as? [String: Any])?["id"] as? String }
        == [1, 2, 4].map { "\(record.sample.uuid.uuidString).\($0)" })
  }

  @Test func `energy is kilocalories over an interval, also for an instant in kilojoules`() throws {
    let energy = quantity(.activeEnergyBurned, 4.184, "kJ", metadata: [HKMetadataKeyWasUserEntered: true])
    let point = try #require(try points(ExternalRecord(sample: energy)).first)
    let body = point["body"] as? [String: Any]
    #expect((body?["kcal_burned"] as? [String: Any])?["value"] as? Double == 1)
    let frame = body?["effective_time_frame"] as? [String: Any]
    #expect((frame?["time_interval"] as? [String: String])?.count == 2)
    let header = point["header"] as? [String: Any]
    #expect((header?["acquisition_provenance"] as? [String: Any])?["modality"] as? String == "self-reported")
    let breath = quantity(.respiratoryRate, 0.25, "count/s")
    let rate = try points(ExternalRecord(sample: breath)).first?["body"] as? [String: Any]
    #expect((rate?["respiratory_rate"] as? [String: Any])?["value"] as? Double == 15)
  }

  /// Returns the schema and the body of a sample's data point.
  private func body(_ sample: HKSample) throws -> (schema: String, fields: [String: Any]) {
    let point = try #require(try points(ExternalRecord(sample: sample)).first)
    let schema = (point["header"] as? [String: Any])?["schema_id"] as? [String: String]
    return (
      "\(schema?["namespace"] ?? ""):\(schema?["name"] ?? ""):\(schema?["version"] ?? "")",
      try #require(point["body"] as? [String: Any])
    )
  }

  @Test(arguments: [
    (HKQuantityTypeIdentifier.stepCount, 120.0, "count", "omh:step-count:3.0", "step_count", 120.0, "steps"),
    (.bodyMass, 70_500, "g", "omh:body-weight:2.0", "body_weight", 70.5, "kg"),
    (.height, 1.5, "m", "omh:body-height:1.0", "body_height", 150, "cm"),
    (.bodyTemperature, 310.15, "K", "omh:body-temperature:3.0", "body_temperature", 37, "C"),
    (.oxygenSaturation, 0.57, "%", "omh:oxygen-saturation:2.0", "oxygen_saturation", 57, "%"),
    (.bodyFatPercentage, 0.29, "%", "omh:body-fat-percentage:1.0", "body_fat_percentage", 29, "%"),
    (.bodyMassIndex, 22.5, "count", "omh:body-mass-index:2.0", "body_mass_index", 22.5, "kg/m^2"),
    (.bloodGlucose, 95, "mg/dL", "omh:blood-glucose:3.0", "blood_glucose", 95, "mg/dL"),
    (
      .bloodGlucose, 5.5, "mmol<180.15588000005408>/L", "omh:blood-glucose:3.0", "blood_glucose", 5.5,
      "mmol/L"
    ),
    (.bloodGlucose, 0.95, "g/L", "omh:blood-glucose:3.0", "blood_glucose", 95, "mg/dL"),
  ])
  func `a quantity with an Open mHealth schema is a data point`(
    type: HKQuantityTypeIdentifier, value: Double, unit: String, schema: String, field: String,
    written: Double,
    text: String
  ) throws {
    let (found, fields) = try body(quantity(type, value, unit, lasting: type == .stepCount ? 60 : 0))
    #expect(found == schema)
    let measured = try #require(fields[field] as? [String: Any])
    #expect(measured["unit"] as? String == text)
    #expect(abs((measured["value"] as? Double ?? .nan) - written) < 1e-9)
    let frame = try #require(fields["effective_time_frame"] as? [String: Any])
    #expect((frame["time_interval"] != nil) == (type == .stepCount))
    #expect(fields.count == 2)
  }

  @Test func `a data point has the location, time and mode of the measurement`() throws {
    let fever = quantity(
      .bodyTemperature, 38, "degC",
      metadata: [HKMetadataKeyBodyTemperatureSensorLocation: HKBodyTemperatureSensorLocation.earDrum.rawValue]
    )
    #expect(try body(fever).fields["measurement_location"] as? String == "tympanic")
    let basal = quantity(.basalBodyTemperature, 36.5, "degC")
    #expect(try body(basal).fields["temporal_relationship_to_sleep"] as? String == "on waking")
    let glucose = quantity(
      .bloodGlucose, 120, "mg/dL",
      metadata: [HKMetadataKeyBloodGlucoseMealTime: HKBloodGlucoseMealTime.postprandial.rawValue])
    #expect(try body(glucose).fields["temporal_relationship_to_meal"] as? String == "after meal")
  }

  private func sleep(_ value: HKCategoryValueSleepAnalysis) -> HKCategorySample {
    HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: value.rawValue, start: start, end: start + 5400)
  }

  private func bloodPressure() -> (whole: HKCorrelation, members: [HKQuantitySample]) {
    let members = [
      quantity(.bloodPressureSystolic, 121, "mmHg"), quantity(.bloodPressureDiastolic, 79, "mmHg"),
    ]
    return (
      HKCorrelation(type: HKCorrelationType(.bloodPressure), start: start, end: start, objects: Set(members)),
      members
    )
  }

  @Test func `sleep has its duration, and a blood pressure has both values`() throws {
    let (schema, fields) = try body(sleep(.asleepDeep))
    #expect(schema == "omh:sleep-duration:2.0")
    let duration = fields["sleep_duration"] as? [String: Any]
    #expect(duration?["value"] as? Double == 5400 && duration?["unit"] as? String == "sec")
    let pressure = try body(bloodPressure().whole)
    #expect(pressure.schema == "omh:blood-pressure:3.0")
    for (field, value) in [("systolic_blood_pressure", 121.0), ("diastolic_blood_pressure", 79)] {
      let written = pressure.fields[field] as? [String: Any]
      #expect(written?["value"] as? Double == value && written?["unit"] as? String == "mmHg")
    }
  }

  @Test func `a blood pressure is written once, and types without a schema are rejected`() async throws {
    let place = try Place()
    let store = try place.store("format=omh&age=1d")
    try await store.open()
    let (whole, members) = bloodPressure()
    let marked = members.map { ExternalRecord(sample: $0, isInBloodPressure: true) }
    #expect(try await store.upload(ChangePage([whole])) == [])
    #expect(try await store.upload(ChangePage(records: marked)) == [])
    let alone = try await store.upload(ChangePage([quantity(.bloodPressureSystolic, 130, "mmHg")]))
    #expect(alone.map(\.isPermanent) == [true])
    let nights = [sleep(.inBed), sleep(.awake), sleep(.asleepREM)]
    let rejections = try await store.upload(ChangePage(nights))
    #expect(Set(rejections.map(\.uuid)) == Set(nights[..<2].map(\.uuid)))
    #expect(rejections.allSatisfy { $0.isPermanent && $0.reason.contains("in bed or awake") })
    await store.close()
    #expect(try place.lines("datapoints").count == 2)
  }

  @Test func `types without a schema are known before anything is sent`() throws {
    let omh = try Place().store("format=omh")
    let known: [HKSampleType] = [
      HKQuantityType(.heartRate), HKQuantityType(.stepCount), HKCategoryType(.sleepAnalysis),
      HKCorrelationType(.bloodPressure), HKQuantityType(.bloodPressureSystolic), HKSeriesType.heartbeat(),
    ]
    for type in known { #expect(omh.reasonToReject(type) == nil) }
    for type in [HKQuantityType(.flightsClimbed), HKCategoryType(.mindfulSession), .workoutType()]
      as [HKSampleType]
    {
      #expect(omh.reasonToReject(type)?.contains("no schema for samples of type \(type.identifier)") == true)
      for format in ["ndjson", "csv"] {
        #expect(try Place().store("format=\(format)").reasonToReject(type) == nil)
      }
    }
  }

  @Test func `a type without an Open mHealth schema is refused, and others are written`()
    async throws
  {
    let place = try Place()
    let store = try place.store("format=omh&age=1d")
    let flights = quantity(.flightsClimbed, 3, "count")
    try await store.open()
    let rejections = try await store.upload(ChangePage([flights, heartRate()]))
    await store.close()
    #expect(rejections.map(\.uuid) == [flights.uuid])
    #expect(rejections.first?.reason.contains("FlightsClimbed") == true)
    #expect(try place.lines("datapoints").count == 1)
  }
}
