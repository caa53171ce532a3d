package import Foundation
package import HealthKit

/// A sample for whoever reads lines: of `hrgate samples` and `hrgate export`, of a folder of files, of a
/// broker. The names are a promise.
package struct SampleLine: Encodable, Sendable {
  package struct Source: Encodable, Sendable {
    package var name: String
    package var bundleIdentifier: String
  }

  package struct Device: Encodable, Sendable {
    package var name: String?
    package var manufacturer: String?
    package var model: String?
    package var hardwareVersion: String?
    package var firmwareVersion: String?
    package var softwareVersion: String?
    package var localIdentifier: String?
    package var udiDeviceIdentifier: String?
  }

  package struct Beat: Encodable, Sendable {
    package var offset: TimeInterval
    package var precededByGap: Bool
  }

  /// One of a quantity series, in the sample's own unit.
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
  package var beats: [Beat]?
  package var quantities: [Quantity]?
  package var source: Source
  package var device: Device?
  package var metadata: [String: MetadataValue]

  /// Of a sample as a query answers it: the quantities of a series stay in the store.
  package init(_ sample: HKSample) { self.init(ExternalRecord(sample, supersedes: false)) }

  package init(_ record: ExternalRecord) {
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
    device = sample.device.map(Device.init)
    metadata = (sample.metadata ?? [:]).compactMapValues(MetadataValue.init)
  }
}

extension SampleLine.Device {
  fileprivate init(_ device: HKDevice) {
    name = device.name
    manufacturer = device.manufacturer
    model = device.model
    hardwareVersion = device.hardwareVersion
    firmwareVersion = device.firmwareVersion
    softwareVersion = device.softwareVersion
    localIdentifier = device.localIdentifier
    udiDeviceIdentifier = device.udiDeviceIdentifier
  }
}

// MARK: - CSV

extension SampleLine {
  package static let csvHeading = CSVText.line([
    "uuid", "type", "start", "end", "value", "unit", "beats", "sourceName", "sourceBundleIdentifier",
    "deviceName", "deviceManufacturer", "deviceModel", "deviceHardwareVersion", "deviceFirmwareVersion",
    "deviceSoftwareVersion", "deviceLocalIdentifier", "metadata",
  ])

  /// The fields of ``csvHeading``. Beats are offsets with a space between; one that a gap precedes has `|`
  /// before it.
  package func csv(_ json: JSONLine = JSONLine()) throws -> String {
    let beatText = (beats ?? []).map { ($0.precededByGap ? "|" : "") + "\($0.offset)" }
    return CSVText.line([
      uuid, type, start, end, value.map { "\($0)" } ?? "", unit ?? "", beatText.joined(separator: " "),
      source.name, source.bundleIdentifier, device?.name ?? "", device?.manufacturer ?? "",
      device?.model ?? "", device?.hardwareVersion ?? "", device?.firmwareVersion ?? "",
      device?.softwareVersion ?? "", device?.localIdentifier ?? "", try json.line(metadata),
    ])
  }
}
