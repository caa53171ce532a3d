import Foundation
import HealthDataSync
import HealthKit

/// A sample as `hrgate samples` prints it: the names are the same, and a promise.
struct SampleLine: Encodable {
  struct Source: Encodable {
    var name: String
    var bundleIdentifier: String
  }

  struct Device: Encodable {
    var name: String?
    var manufacturer: String?
    var model: String?
    var hardwareVersion: String?
    var firmwareVersion: String?
    var softwareVersion: String?
    var localIdentifier: String?
    var udiDeviceIdentifier: String?
  }

  struct Beat: Encodable {
    var offset: TimeInterval
    var precededByGap: Bool
  }

  /// One of a quantity series, in the sample's own unit.
  struct Quantity: Encodable {
    var start: String
    var end: String
    var value: Double
  }

  var uuid: String
  var type: String
  var start: String
  var end: String
  var value: Double?
  var unit: String?
  var beats: [Beat]?
  var quantities: [Quantity]?
  var source: Source
  var device: Device?
  var metadata: [String: MetadataValue]

  init(_ record: ExternalRecord) {
    let sample = record.sample
    uuid = sample.uuid.uuidString
    type = sample.sampleType.identifier
    start = SampleTime.text(sample.startDate)
    end = SampleTime.text(sample.endDate)
    if let quantity = (sample as? HKQuantitySample)?.quantity {
      value = quantity.doubleValue(for: quantity.unit)
      unit = quantity.unit.unitString
    } else if let category = sample as? HKCategorySample {
      value = Double(category.value)
    }
    switch record.series {
    case .none: break
    case .heartbeats(let heartbeats):
      beats = heartbeats.map { Beat(offset: $0.timeSinceStart, precededByGap: $0.precededByGap) }
    case .quantities(let measured):
      quantities = measured.map {
        Quantity(
          start: SampleTime.text($0.interval.start), end: SampleTime.text($0.interval.end), value: $0.value)
      }
    }
    let from = sample.sourceRevision.source
    source = Source(name: from.name, bundleIdentifier: from.bundleIdentifier)
    device = sample.device.map {
      Device(
        name: $0.name, manufacturer: $0.manufacturer, model: $0.model, hardwareVersion: $0.hardwareVersion,
        firmwareVersion: $0.firmwareVersion, softwareVersion: $0.softwareVersion,
        localIdentifier: $0.localIdentifier, udiDeviceIdentifier: $0.udiDeviceIdentifier)
    }
    metadata = (sample.metadata ?? [:]).compactMapValues(MetadataValue.init)
  }
}

extension SampleLine {
  static let csvHeading = CSVText.line([
    "uuid", "type", "start", "end", "value", "unit", "beats", "sourceName", "sourceBundleIdentifier",
    "deviceName", "deviceManufacturer", "deviceModel", "deviceHardwareVersion", "deviceFirmwareVersion",
    "deviceSoftwareVersion", "deviceLocalIdentifier", "metadata",
  ])

  /// The fields of ``csvHeading``. Beats are offsets with a space between; one that a gap precedes has `|`
  /// before it.
  func csv(_ json: JSONText) throws -> String {
    let beatText = (beats ?? []).map { ($0.precededByGap ? "|" : "") + "\($0.offset)" }
    return CSVText.line([
      uuid, type, start, end, value.map { "\($0)" } ?? "", unit ?? "", beatText.joined(separator: " "),
      source.name, source.bundleIdentifier, device?.name ?? "", device?.manufacturer ?? "",
      device?.model ?? "", device?.hardwareVersion ?? "", device?.firmwareVersion ?? "",
      device?.softwareVersion ?? "", device?.localIdentifier ?? "", try json.line(metadata),
    ])
  }
}
