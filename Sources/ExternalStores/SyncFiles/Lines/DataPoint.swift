import Foundation
import HealthDataSync
import HealthKit

/// An Open mHealth data point: a header (omh:header:1.2) and a body that conforms to a schema. Keys are
/// written in snake case.
struct DataPoint: Encodable {
  struct Header: Encodable {
    struct Schema: Encodable {
      var namespace = "omh"
      var name: String
      var version: String
    }

    struct Provenance: Encodable {
      var sourceName: String
      var sourceDataPointId: String
      var modality: String
    }

    var id: String
    var creationDateTime: String
    var schemaId: Schema
    var acquisitionProvenance: Provenance
    var userId: String
  }

  struct Body: Encodable {
    var heartRate: UnitValue?
    var rrInterval: UnitValue?
    var respiratoryRate: UnitValue?
    var kcalBurned: UnitValue?
    var stepCount: UnitValue?
    var bodyWeight: UnitValue?
    var bodyHeight: UnitValue?
    var bodyTemperature: UnitValue?
    var oxygenSaturation: UnitValue?
    var bodyFatPercentage: UnitValue?
    var bodyMassIndex: UnitValue?
    var bloodGlucose: UnitValue?
    var sleepDuration: UnitValue?
    var systolicBloodPressure: UnitValue?
    var diastolicBloodPressure: UnitValue?
    var effectiveTimeFrame: TimeFrame
    var temporalRelationshipToPhysicalActivity: String?
    var temporalRelationshipToMeal: String?
    var temporalRelationshipToSleep: String?
    var measurementLocation: String?
  }

  struct UnitValue: Encodable {
    var value: Double
    var unit: String
  }

  struct TimeFrame: Encodable {
    struct Interval: Encodable {
      var startDateTime: String
      var endDateTime: String
    }

    var dateTime: String?
    var timeInterval: Interval?

    /// Creates a time frame: an interval if the schema requires one or the times differ, otherwise a single
    /// time.
    init(_ start: Date, _ end: Date, isInterval: Bool = false) {
      if isInterval || start != end {
        timeInterval = Interval(startDateTime: Timestamp.text(start), endDateTime: Timestamp.text(end))
      } else {
        dateTime = Timestamp.text(start)
      }
    }
  }

  var header: Header
  var body: Body
}

extension DataPoint {
  /// The reason why a sample cannot be written as a data point although its type has a schema, as a sentence
  /// for the user.
  struct UnmappedError: Error {
    let reason: String
  }

  /// Returns the data points of a sample. A heartbeat series has one for each interval between two beats;
  /// other samples have one.
  ///
  /// - Parameter created: The creation time of the data points.
  /// - Throws: `UnmappedError`.
  static func all(
    of record: ExternalRecord, person: String, created: Date
  ) throws(UnmappedError) -> [DataPoint] {
    let sample = record.sample
    let (schema, body): (Header.Schema, Body)
    switch (sample, record.series) {
    case (let quantity as HKQuantitySample, _): (schema, body) = try measured(quantity)
    case (let sleep as HKCategorySample, _): (schema, body) = try slept(sleep)
    case (let correlation as HKCorrelation, _): (schema, body) = try bloodPressure(correlation)
    case (is HKHeartbeatSeriesSample, .heartbeats(let beats)):
      return intervals(of: beats, in: sample, person, created)
    default: throw UnmappedError(reason: noSchema(for: sample.sampleType))
    }
    return [DataPoint(header: header(sample, schema, person, created), body: body)]
  }

  /// Returns whether Open mHealth has a schema for samples of a type.
  static func hasSchema(for type: HKSampleType) -> Bool {
    QuantityPoint.byType[type.identifier] != nil || others.contains(type.identifier)
  }

  static func noSchema(for type: HKSampleType) -> String {
    "Open mHealth has no schema for samples of type \(type.identifier)"
  }

  /// Types that have a schema but are not in `QuantityPoint`, such as category types and the two quantities
  /// of a blood pressure.
  private static let others: Set = [
    HKQuantityTypeIdentifier.bloodPressureSystolic.rawValue,
    HKQuantityTypeIdentifier.bloodPressureDiastolic.rawValue,
    HKCorrelationTypeIdentifier.bloodPressure.rawValue, HKCategoryTypeIdentifier.sleepAnalysis.rawValue,
    HKSeriesType.heartbeat().identifier,
  ]

  private static func measured(_ sample: HKQuantitySample) throws(UnmappedError) -> (Header.Schema, Body) {
    let identifier = sample.quantityType.identifier
    guard let point = QuantityPoint.byType[identifier] else {
      throw UnmappedError(
        reason: others.contains(identifier)
          ? "Open mHealth has no schema for one value of a blood pressure without the other"
          : noSchema(for: sample.quantityType))
    }
    var body = Body(
      effectiveTimeFrame: TimeFrame(sample.startDate, sample.endDate, isInterval: point.isInterval))
    body[keyPath: point.field] = point.value(of: sample.quantity)
    switch HKQuantityTypeIdentifier(rawValue: identifier) {
    case .heartRate: body.temporalRelationshipToPhysicalActivity = activity(of: sample)
    case .bodyTemperature: body.measurementLocation = site(of: sample)
    case .basalBodyTemperature: body.temporalRelationshipToSleep = "on waking"
    case .bloodGlucose: body.temporalRelationshipToMeal = meal(of: sample)
    default: break
    }
    return (Header.Schema(name: point.schema, version: point.version), body)
  }

  private static func slept(_ sample: HKCategorySample) throws(UnmappedError) -> (Header.Schema, Body) {
    guard sample.categoryType.identifier == HKCategoryTypeIdentifier.sleepAnalysis.rawValue else {
      throw UnmappedError(reason: noSchema(for: sample.categoryType))
    }
    switch HKCategoryValueSleepAnalysis(rawValue: sample.value) {
    case .asleepUnspecified, .asleepCore, .asleepDeep, .asleepREM: break
    default: throw UnmappedError(reason: "Open mHealth has no schema for time in bed or awake")
    }
    var body = Body(effectiveTimeFrame: TimeFrame(sample.startDate, sample.endDate, isInterval: true))
    body.sleepDuration = UnitValue(
      value: sample.endDate.timeIntervalSince(sample.startDate), unit: "sec")
    return (Header.Schema(name: "sleep-duration", version: "2.0"), body)
  }

  private static func bloodPressure(_ sample: HKCorrelation) throws(UnmappedError) -> (Header.Schema, Body) {
    guard sample.correlationType.identifier == HKCorrelationTypeIdentifier.bloodPressure.rawValue else {
      throw UnmappedError(reason: noSchema(for: sample.correlationType))
    }
    func value(_ type: HKQuantityTypeIdentifier) -> UnitValue? {
      let found = sample.objects(for: HKQuantityType(type)).compactMap { $0 as? HKQuantitySample }
      guard found.count == 1, let one = found.first else { return nil }
      return UnitValue(value: one.quantity.doubleValue(for: .millimeterOfMercury()), unit: "mmHg")
    }
    var body = Body(effectiveTimeFrame: TimeFrame(sample.startDate, sample.endDate))
    body.systolicBloodPressure = value(.bloodPressureSystolic)
    body.diastolicBloodPressure = value(.bloodPressureDiastolic)
    guard body.systolicBloodPressure != nil, body.diastolicBloodPressure != nil else {
      throw UnmappedError(reason: "a blood pressure in Open mHealth has one systolic and one diastolic value")
    }
    return (Header.Schema(name: "blood-pressure", version: "3.0"), body)
  }

  /// Returns a data point for each interval between two beats without a gap. The ID of a data point contains
  /// the index of the beat.
  private static func intervals(
    of beats: [ExternalRecord.Heartbeat], in sample: HKSample, _ person: String, _ created: Date
  ) -> [DataPoint] {
    zip(beats, beats.dropFirst()).enumerated().compactMap { index, pair in
      let (before, beat) = pair
      guard !beat.precededByGap else { return nil }
      var header = header(sample, Header.Schema(name: "rr-interval", version: "1.0"), person, created)
      header.id += ".\(index + 1)"
      let start = sample.startDate
      var body = Body(
        effectiveTimeFrame: TimeFrame(
          start.addingTimeInterval(before.timeSinceStart), start.addingTimeInterval(beat.timeSinceStart),
          isInterval: true))
      body.rrInterval = UnitValue(value: (beat.timeSinceStart - before.timeSinceStart) * 1000, unit: "ms")
      return DataPoint(header: header, body: body)
    }
  }

  private static func header(
    _ sample: HKSample, _ schema: Header.Schema, _ person: String, _ created: Date
  ) -> Header {
    let isEntered = (sample.metadata?[HKMetadataKeyWasUserEntered] as? NSNumber)?.boolValue ?? false
    return Header(
      id: sample.uuid.uuidString, creationDateTime: Timestamp.text(created), schemaId: schema,
      acquisitionProvenance: Header.Provenance(
        sourceName: sample.sourceRevision.source.name, sourceDataPointId: sample.uuid.uuidString,
        modality: isEntered ? "self-reported" : "sensed"), userId: person)
  }

  private static func activity(of sample: HKSample) -> String? {
    switch number(HKMetadataKeyHeartRateMotionContext, of: sample).flatMap(
      HKHeartRateMotionContext.init(rawValue:))
    {
    case .sedentary: "at rest"
    case .active: "active"
    default: nil
    }
  }

  private static func meal(of sample: HKSample) -> String? {
    switch number(HKMetadataKeyBloodGlucoseMealTime, of: sample).flatMap(
      HKBloodGlucoseMealTime.init(rawValue:))
    {
    case .preprandial: "before meal"
    case .postprandial: "after meal"
    default: nil
    }
  }

  private static func site(of sample: HKSample) -> String? {
    switch number(HKMetadataKeyBodyTemperatureSensorLocation, of: sample).flatMap(
      HKBodyTemperatureSensorLocation.init(rawValue:))
    {
    case .armpit: "axillary"
    case .ear, .earDrum: "tympanic"
    case .finger: "finger"
    case .forehead: "forehead"
    case .mouth: "oral"
    case .rectum: "rectal"
    case .temporalArtery: "temporal artery"
    case .toe: "toe"
    default: nil
    }
  }

  private static func number(_ key: String, of sample: HKSample) -> Int? {
    (sample.metadata?[key] as? NSNumber)?.intValue
  }
}

/// How a quantity type is written: the schema, the field of its body, and the unit.
private struct QuantityPoint: Sendable {
  let schema: String
  let version: String
  let field: any WritableKeyPath<DataPoint.Body, DataPoint.UnitValue?> & Sendable
  /// The unit in HealthKit.
  let unit: String
  /// The unit in the schema.
  let text: String
  /// Whether the schema requires a time interval instead of a single time.
  var isInterval = false

  func value(of quantity: HKQuantity) -> DataPoint.UnitValue {
    // The schema allows both units, so a glucose value in mmol/L is not converted.
    if text == "mg/dL", quantity.unit.unitString.contains("mol") {
      let unit = HKUnit.moleUnit(with: .milli, molarMass: HKUnitMolarMassBloodGlucose).unitDivided(
        by: .liter())
      return .init(value: quantity.doubleValue(for: unit), unit: "mmol/L")
    }
    let value = quantity.doubleValue(for: HKUnit(from: unit))
    return .init(value: text == "%" ? DecimalProduct.of(value, by: 100) : value, unit: text)
  }

  static let byType: [String: QuantityPoint] = Dictionary(
    uniqueKeysWithValues: all.map { ($0.0.rawValue, $0.1) })

  private static let all: [(HKQuantityTypeIdentifier, QuantityPoint)] = [
    (
      .heartRate,
      Self(schema: "heart-rate", version: "2.0", field: \.heartRate, unit: "count/min", text: "beats/min")
    ),
    (
      .respiratoryRate,
      Self(
        schema: "respiratory-rate", version: "2.0", field: \.respiratoryRate, unit: "count/min",
        text: "breaths/min")
    ),
    (
      .activeEnergyBurned,
      Self(
        schema: "calories-burned", version: "2.0", field: \.kcalBurned, unit: "kcal", text: "kcal",
        isInterval: true)
    ),
    (
      .stepCount,
      Self(
        schema: "step-count", version: "3.0", field: \.stepCount, unit: "count", text: "steps",
        isInterval: true)
    ),
    (.bodyMass, Self(schema: "body-weight", version: "2.0", field: \.bodyWeight, unit: "kg", text: "kg")),
    (.height, Self(schema: "body-height", version: "1.0", field: \.bodyHeight, unit: "cm", text: "cm")),
    (
      .bodyTemperature,
      Self(schema: "body-temperature", version: "3.0", field: \.bodyTemperature, unit: "degC", text: "C")
    ),
    (
      .basalBodyTemperature,
      Self(schema: "body-temperature", version: "3.0", field: \.bodyTemperature, unit: "degC", text: "C")
    ),
    (
      .oxygenSaturation,
      Self(schema: "oxygen-saturation", version: "2.0", field: \.oxygenSaturation, unit: "%", text: "%")
    ),
    (
      .bodyFatPercentage,
      Self(schema: "body-fat-percentage", version: "1.0", field: \.bodyFatPercentage, unit: "%", text: "%")
    ),
    (
      .bodyMassIndex,
      Self(schema: "body-mass-index", version: "2.0", field: \.bodyMassIndex, unit: "count", text: "kg/m^2")
    ),
    (
      .bloodGlucose,
      Self(schema: "blood-glucose", version: "3.0", field: \.bloodGlucose, unit: "mg/dL", text: "mg/dL")
    ),
  ]
}
