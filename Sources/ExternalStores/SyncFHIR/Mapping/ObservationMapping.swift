import Foundation
import HealthDataSync
import HealthKit

/// Converts samples to FHIR Observations.
struct ObservationMapping: Sendable {
  /// The error for a sample that FHIR cannot express, with a sentence for the user.
  struct InexpressibleError: Error {
    let reason: String
  }

  let subject: FHIR.Reference
  let performer: FHIR.Reference?

  /// Returns the Observation for a record.
  ///
  /// - Parameter device: Returns the reference to a device, or `nil` if the server has no Device for it. The
  ///   Observation then contains the device's description.
  func observation(
    of record: ExternalRecord, device: (HKDevice) -> FHIR.Reference?
  ) throws(InexpressibleError) -> FHIR.Observation {
    let sample = record.sample
    var observation = FHIR.Observation(
      identifier: [FHIR.Identifier(sample.uuid)], code: FHIR.CodeableConcept(sample.sampleType),
      subject: subject)
    observation.performer = performer.map { [$0] }
    try setTime(of: &observation, from: sample)
    try setValue(of: &observation, from: record)
    observation.bodySite = bodySite(of: sample)
    if let measuring = sample.device {
      if let reference = device(measuring) {
        observation.device = reference
      } else {
        var contained = FHIR.Device(measuring)
        contained.id = "device"
        observation.contained = [contained]
        observation.device = FHIR.Reference(reference: "#device")
      }
    }
    return observation
  }

  private func setTime(of observation: inout FHIR.Observation, from sample: HKSample)
    throws(InexpressibleError)
  {
    let zone = (sample.metadata?[HKMetadataKeyTimeZone] as? String).flatMap(TimeZone.init(identifier:))
    guard let start = FHIRInstant.text(sample.startDate, in: zone) else { throw .outOfCalendar }
    if sample.hasUndeterminedDuration {
      observation.effectivePeriod = FHIR.Period(start: start)
    } else if sample.startDate == sample.endDate {
      observation.effectiveDateTime = start
    } else {
      guard let end = FHIRInstant.text(sample.endDate, in: zone) else { throw .outOfCalendar }
      observation.effectivePeriod = FHIR.Period(start: start, end: end)
    }
  }

  private func setValue(
    of observation: inout FHIR.Observation, from record: ExternalRecord
  ) throws(InexpressibleError) {
    switch record.sample {
    case let sample as HKQuantitySample:
      observation.valueQuantity = FHIR.Quantity(sample.quantity, of: sample.quantityType)
      if let code = QuantityCode.byIdentifier[sample.quantityType.identifier], let profile = code.profile {
        observation.isVitalSign(profile: profile)
      }
      if case .quantities(let quantities) = record.series {
        observation.component = components(of: quantities, in: sample)
      }
    case let sample as HKCategorySample:
      observation.valueCodeableConcept = FHIR.CodeableConcept(value: sample)
    case let correlation as HKCorrelation:
      try setComponents(of: &observation, from: correlation)
    case is HKHeartbeatSeriesSample:
      guard case .heartbeats(let beats) = record.series, !beats.isEmpty else { throw .withoutBeats }
      observation.valueSampledData = FHIR.SampledData(beats)
    default: throw InexpressibleError(reason: Self.noObservation(of: record.sample.sampleType))
    }
  }

  /// Returns the reason why no sample of a type can become an Observation, or `nil`.
  static func reasonToReject(_ type: HKSampleType) -> String? {
    switch type {
    case is HKQuantityType, is HKCategoryType, is HKCorrelationType: nil
    case _ where type == HKSeriesType.heartbeat(): nil
    default: noObservation(of: type)
    }
  }

  private static func noObservation(of type: HKSampleType) -> String {
    "FHIR has no Observation for samples of type \(type.identifier)"
  }

  private func setComponents(
    of observation: inout FHIR.Observation, from correlation: HKCorrelation
  ) throws(InexpressibleError) {
    let members = correlation.objects.sorted {
      ($0.sampleType.identifier, $0.uuid.uuidString) < ($1.sampleType.identifier, $1.uuid.uuidString)
    }
    observation.component = members.map { member in
      var component = FHIR.Observation.Component(code: FHIR.CodeableConcept(member.sampleType))
      if let sample = member as? HKQuantitySample {
        component.valueQuantity = FHIR.Quantity(sample.quantity, of: sample.quantityType)
      } else if let sample = member as? HKCategorySample {
        component.valueCodeableConcept = FHIR.CodeableConcept(value: sample)
      }
      return component
    }
    guard correlation.correlationType.identifier == HKCorrelationTypeIdentifier.bloodPressure.rawValue else {
      return
    }
    guard Set(members.map(\.sampleType.identifier)).count == 2, members.count == 2 else {
      throw InexpressibleError(reason: "a blood pressure in FHIR has one systolic and one diastolic value")
    }
    observation.component?.reverse()  // The systolic pressure comes first by convention.
    observation.code.coding?.insert(
      FHIR.Coding(
        system: FHIR.CodeableConcept.loinc, code: "85354-9",
        display: "Blood pressure panel with all children optional"), at: 0)
    observation.isVitalSign(profile: "bp")
  }

  /// Returns the starts, ends and values of a series as three lists of equal length. They are lists of
  /// numbers that accompany the sum or average, because a component of an Observation has no time of its own.
  private func components(
    of quantities: [ExternalRecord.MeasuredQuantity], in sample: HKQuantitySample
  ) -> [FHIR.Observation.Component]? {
    guard quantities.count > 1 else { return nil }
    let values = quantities.map {
      FHIR.Quantity(
        HKQuantity(unit: sample.quantity.unit, doubleValue: $0.value), of: sample.quantityType)
    }
    var origin = FHIR.Quantity(
      value: 0, unit: values[0].unit, system: values[0].system, code: values[0].code)
    origin.value = 0
    let starts = quantities.map { $0.interval.start.timeIntervalSince(sample.startDate) }
    let ends = quantities.map { $0.interval.end.timeIntervalSince(sample.startDate) }
    return [
      .init("start of each quantity, in seconds after effectivePeriod.start", .seconds, starts),
      .init("end of each quantity, in seconds after effectivePeriod.start", .seconds, ends),
      .init("each quantity", origin, values.map(\.value)),
    ]
  }

  private func bodySite(of sample: HKSample) -> FHIR.CodeableConcept? {
    guard let number = sample.metadata?[HKMetadataKeyHeartRateSensorLocation] as? NSNumber,
      let location = HKHeartRateSensorLocation(rawValue: number.intValue), location != .other
    else { return nil }
    return FHIR.CodeableConcept(text: location == .earLobe ? "ear lobe" : "\(location)")
  }
}

extension ObservationMapping.InexpressibleError {
  fileprivate static let outOfCalendar = Self(
    reason: "the sample's time is outside the years 1 to 9999, which FHIR supports")
  fileprivate static let withoutBeats = Self(reason: "the heartbeat series has no beats")
}

extension FHIR.Observation {
  /// Marks the Observation as a vital sign that conforms to a FHIR R4 profile.
  fileprivate mutating func isVitalSign(profile: String) {
    meta = FHIR.Meta(profile: ["http://hl7.org/fhir/StructureDefinition/\(profile)"])
    category = [.vitalSigns]
  }
}

extension FHIR.CodeableConcept {
  /// Creates the code of a category value. The code system is the enumeration's documentation URL, which
  /// other HealthKit mappers also use.
  fileprivate init(value sample: HKCategorySample) {
    self.init(coding: [
      FHIR.Coding(
        system: "https://developer.apple.com/documentation/healthkit/"
          + sample.categoryType.enumeration.lowercased(), code: "\(sample.value)",
        display: CaseName.text(sample.value, in: sample.categoryType.enumeration))
    ])
  }
}

extension FHIR.Observation.Component {
  fileprivate init(_ text: String, _ origin: FHIR.Quantity, _ numbers: [Double]) {
    self.init(
      code: FHIR.CodeableConcept(text: text),
      valueSampledData: FHIR.SampledData(
        origin: origin, period: 0, dimensions: 1,
        data: numbers.map(FHIR.SampledData.text).joined(separator: " ")))
  }
}

extension FHIR.Quantity {
  fileprivate static let seconds = FHIR.Quantity(value: 0, unit: "s", system: UCUM.system, code: "s")
}

extension FHIR.SampledData {
  /// Creates a SampledData with the beats of a series: seconds since the start, with `E` before a beat after
  /// a gap.
  ///
  /// `E` is FHIR's code for an error value, so readers do not compute an interval across the gap. R4 requires
  /// a period between values. Beats have none, so it is 0, and readers do not compute times from positions in
  /// the list.
  init(_ beats: [ExternalRecord.Heartbeat]) {
    let words = beats.map { ($0.precededByGap ? "E " : "") + Self.text($0.timeSinceStart) }
    self.init(origin: .seconds, period: 0, dimensions: 1, data: words.joined(separator: " "))
  }

  /// Returns the shortest decimal text that parses to the same number, without an exponent.
  fileprivate static func text(_ number: Double) -> String {
    let text = "\(number)"
    if text.contains("e") { return Decimal(string: text).map { "\($0)" } ?? text }
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
