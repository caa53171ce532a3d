import Foundation
import HealthDataSync
import HealthKit

/// An Open mHealth data point: a header (omh:header:1.2) and a body of a schema. The names of its fields are
/// written as `snake_case`.
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
    var effectiveTimeFrame: TimeFrame
    var temporalRelationshipToPhysicalActivity: String?
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

    /// An interval where the schema wants one, and where there is one.
    init(_ start: Date, _ end: Date, isInterval: Bool = false) {
      if isInterval || start != end {
        timeInterval = Interval(startDateTime: SampleTime.text(start), endDateTime: SampleTime.text(end))
      } else {
        dateTime = SampleTime.text(start)
      }
    }
  }

  var header: Header
  var body: Body
}

extension DataPoint {
  /// Those of a sample: one, or one for each interval between two beats.
  /// - Parameter created: when the data points are made.
  /// - Returns: `nil` for what Open mHealth has no schema for.
  static func all(of record: ExternalRecord, person: String, created: Date) -> [DataPoint]? {
    let sample = record.sample
    switch (sample, record.series) {
    case (let quantity as HKQuantitySample, _):
      guard let (schema, body) = measured(quantity) else { return nil }
      return [DataPoint(header: header(sample, schema, person, created), body: body)]
    case (is HKHeartbeatSeriesSample, .heartbeats(let beats)):
      return intervals(of: beats, in: sample, person, created)
    default:
      return nil
    }
  }

  private static func measured(_ sample: HKQuantitySample) -> (Header.Schema, Body)? {
    func value(_ unit: String, _ name: String) -> UnitValue {
      UnitValue(value: sample.quantity.doubleValue(for: HKUnit(from: unit)), unit: name)
    }
    var body = Body(effectiveTimeFrame: TimeFrame(sample.startDate, sample.endDate))
    switch HKQuantityTypeIdentifier(rawValue: sample.quantityType.identifier) {
    case .heartRate:
      body.heartRate = value("count/min", "beats/min")
      body.temporalRelationshipToPhysicalActivity = activity(of: sample)
      return (Header.Schema(name: "heart-rate", version: "2.0"), body)
    case .respiratoryRate:
      body.respiratoryRate = value("count/min", "breaths/min")
      return (Header.Schema(name: "respiratory-rate", version: "2.0"), body)
    case .activeEnergyBurned:
      body.kcalBurned = value("kcal", "kcal")
      body.effectiveTimeFrame = TimeFrame(sample.startDate, sample.endDate, isInterval: true)
      return (Header.Schema(name: "calories-burned", version: "2.0"), body)
    default:
      return nil
    }
  }

  /// From each beat to the next, but not over a gap. The place of its beat makes an interval's identifier.
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
      id: sample.uuid.uuidString, creationDateTime: SampleTime.text(created), schemaId: schema,
      acquisitionProvenance: Header.Provenance(
        sourceName: sample.sourceRevision.source.name, sourceDataPointId: sample.uuid.uuidString,
        modality: isEntered ? "self-reported" : "sensed"), userId: person)
  }

  private static func activity(of sample: HKSample) -> String? {
    guard let number = sample.metadata?[HKMetadataKeyHeartRateMotionContext] as? NSNumber else { return nil }
    switch HKHeartRateMotionContext(rawValue: number.intValue) {
    case .sedentary: return "at rest"
    case .active: return "active"
    default: return nil
    }
  }
}
