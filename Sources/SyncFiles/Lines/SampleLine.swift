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
    start = TimeText.of(sample.startDate)
    end = TimeText.of(sample.endDate)
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
        Quantity(start: TimeText.of($0.interval.start), end: TimeText.of($0.interval.end), value: $0.value)
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

/// A value of a sample's metadata, as JSON has it: text, number, truth, or a quantity's value and unit.
enum MetadataValue: Encodable {
  case text(String)
  case truth(Bool)
  case integer(Int64)
  case number(Double)
  case quantity(HKQuantity)

  init?(_ value: Any) {
    switch value {
    case let text as String: self = .text(text)
    case let date as Date: self = .text(TimeText.of(date))
    case let quantity as HKQuantity: self = .quantity(quantity)
    case let number as NSNumber:
      switch UInt8(bitPattern: number.objCType.pointee) {
      case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .truth(number.boolValue)
      case UInt8(ascii: "f"), UInt8(ascii: "d"): self = .number(number.doubleValue)
      default: self = .integer(number.int64Value)
      }
    default: return nil
    }
  }

  private struct Quantity: Encodable {
    var value: Double
    var unit: String
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .truth(let truth): try container.encode(truth)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .quantity(let quantity):
      try container.encode(
        Quantity(value: quantity.doubleValue(for: quantity.unit), unit: quantity.unit.unitString))
    }
  }
}

/// ISO 8601 in UTC with microseconds, which is what the store keeps: `2026-11-21T06:09:00.123456Z`.
enum TimeText {
  static func of(_ date: Date) -> String {
    let (seconds, fraction) = Microseconds.clamped(date).quotientAndRemainder(dividingBy: 1_000_000)
    let borrow: Int64 = fraction < 0 ? 1 : 0
    let whole = Date(timeIntervalSince1970: Double(seconds - borrow)).formatted(.iso8601).dropLast()
    let digits = String(fraction + borrow * 1_000_000)
    return whole + "." + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
  }
}
