package import Foundation
package import HealthKit
package import HealthStorage

/// A sample as JSON, used by `hrgate samples --json`, `hrgate export`, file and MQTT destinations, and the
/// web page. The field names are stable.
package struct SampleLine: Encodable, Sendable {
  package struct Source: Encodable, Sendable {
    package var name: String
    package var bundleIdentifier: String
  }

  package struct Beat: Encodable, Sendable {
    package var offset: TimeInterval
    package var precededByGap: Bool
  }

  /// A quantity of a series, in the sample's own unit.
  package struct Quantity: Encodable, Sendable {
    package var start: String
    package var end: String
    package var value: Double
  }

  package var uuid: String
  package var type: String
  package var start: String
  package var end: String
  package var value: Double?
  package var unit: String?
  /// The name of a category sample's value, or `nil` if this version does not know the value.
  package var valueName: String?
  package var workout: WorkoutPart?
  package var electrocardiogram: Electrocardiogram?
  package var dose: Dose?
  /// The samples in a correlation, sorted by type.
  package var members: [SampleLine]?
  package var beats: [Beat]?
  /// The number of beats. The web page receives it instead of ``beats``, because it lists series without
  /// them.
  package var beatCount: Int?
  package var quantities: [Quantity]?
  package var source: Source
  package var device: DeviceRecord?
  package var metadata: [String: MetadataValue]

  private enum CodingKeys: CodingKey {
    case uuid, type, start, end, value, unit, valueName, members, beats, beatCount, quantities, source, device
    case electrocardiogram, dose, metadata
  }

  /// Encodes the fields of ``workout`` in the same JSON object as the sample's other fields.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(uuid, forKey: .uuid)
    try container.encode(type, forKey: .type)
    try container.encode(start, forKey: .start)
    try container.encode(end, forKey: .end)
    try container.encodeIfPresent(value, forKey: .value)
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encodeIfPresent(valueName, forKey: .valueName)
    try container.encodeIfPresent(members, forKey: .members)
    try container.encodeIfPresent(beats, forKey: .beats)
    try container.encodeIfPresent(beatCount, forKey: .beatCount)
    try container.encodeIfPresent(quantities, forKey: .quantities)
    try container.encodeIfPresent(electrocardiogram, forKey: .electrocardiogram)
    try container.encodeIfPresent(dose, forKey: .dose)
    try container.encode(source, forKey: .source)
    try container.encodeIfPresent(device, forKey: .device)
    try container.encode(metadata, forKey: .metadata)
    try workout?.encode(to: encoder)
  }

  /// Creates the JSON form of a sample.
  /// - Parameters:
  ///   - sample: The result of a query. The quantities of a series are not read.
  ///   - units: The units for quantities, by type. Quantities of other types keep their stored unit.
  package init(_ sample: HKSample, in units: [HKQuantityType: HKUnit] = [:]) {
    self.init(ExternalRecord(sample, supersedes: false), in: units)
  }

  package init(_ record: ExternalRecord, in units: [HKQuantityType: HKUnit] = [:]) {
    let sample = record.sample
    uuid = sample.uuid.uuidString
    type = sample.sampleType.identifier
    start = Timestamp.text(sample.startDate)
    end = Timestamp.text(sample.endDate)
    if let sample = sample as? HKQuantitySample {
      let unit = units[sample.quantityType] ?? sample.quantity.unit
      (value, self.unit) = (sample.quantity.doubleValue(for: unit), unit.unitString)
    } else if let category = sample as? HKCategorySample {
      value = Double(category.value)
      valueName = CaseName.text(category.value, in: category.categoryType.enumeration)
    }
    workout = (sample as? HKWorkout).map { WorkoutPart($0, in: units) }
    electrocardiogram = (sample as? HKElectrocardiogram).map(Electrocardiogram.init)
    dose = (sample as? HKMedicationDoseEvent).map(Dose.init)
    members = (sample as? HKCorrelation).map { correlation in
      correlation.objects.map { SampleLine($0, in: units) }.sorted { ($0.type, $0.uuid) < ($1.type, $1.uuid) }
    }
    switch record.series {
    case .none: break
    case .heartbeats(let heartbeats):
      beats = heartbeats.map { Beat(offset: $0.timeSinceStart, precededByGap: $0.precededByGap) }
    case .quantities(let measured):
      quantities = measured.map {
        Quantity(
          start: Timestamp.text($0.interval.start), end: Timestamp.text($0.interval.end), value: $0.value)
      }
    }
    let from = sample.sourceRevision.source
    source = Source(name: from.name, bundleIdentifier: from.bundleIdentifier)
    device = sample.device?.record
    metadata = (sample.metadata ?? [:]).compactMapValues(MetadataValue.init)
  }
}

// MARK: - CSV

extension SampleLine {
  package static let csvHeading = CSVText.line([
    "uuid", "type", "start", "end", "value", "unit", "beats", "sourceName", "sourceBundleIdentifier",
    "deviceName", "deviceManufacturer", "deviceModel", "deviceHardwareVersion", "deviceFirmwareVersion",
    "deviceSoftwareVersion", "deviceLocalIdentifier", "metadata", "valueName", "activityType", "duration",
    "totalEnergyBurned", "totalDistance", "totalSwimmingStrokeCount", "totalFlightsClimbed", "events",
    "activities", "members",
  ])

  /// Returns the fields of the sample in the order of ``csvHeading``.
  ///
  /// The beats of a series are their offsets in seconds, separated by spaces. A `|` precedes a beat that
  /// follows a gap. The total energy or distance of a workout is followed by its unit. Workout events,
  /// workout activities and the members of a correlation are JSON.
  package func csv(_ json: JSONLine = JSONLine()) throws -> String {
    let beatText = (beats ?? []).map { ($0.precededByGap ? "|" : "") + "\($0.offset)" }
    return CSVText.line([
      uuid, type, start, end, value.map { "\($0)" } ?? "", unit ?? "", beatText.joined(separator: " "),
      source.name, source.bundleIdentifier, device?.name ?? "", device?.manufacturer ?? "",
      device?.model ?? "", device?.hardwareVersion ?? "", device?.firmwareVersion ?? "",
      device?.softwareVersion ?? "", device?.localIdentifier ?? "", try json.line(metadata),
      valueName ?? "", workout?.activityType ?? "", workout.map { "\($0.duration)" } ?? "",
      workout?.totalEnergyBurned?.text ?? "", workout?.totalDistance?.text ?? "",
      workout?.totalSwimmingStrokeCount?.text ?? "", workout?.totalFlightsClimbed?.text ?? "",
      try workout?.events.map(json.line) ?? "", try workout?.activities.map(json.line) ?? "",
      try members.map(json.line) ?? "",
    ])
  }
}
