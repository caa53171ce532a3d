import Foundation
import HealthKit

/// What `hrgate samples` prints for a sample. The names are a promise.
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

  var uuid: String
  var type: String
  var start: String
  var end: String
  var value: Double?
  var unit: String?
  var beats: [Beat]?
  var source: Source
  var device: Device?
  var metadata: [String: MetadataValue]

  init(_ sample: HKSample) {
    uuid = sample.uuid.uuidString
    type = sample.sampleType.identifier
    start = Timestamp.text(sample.startDate)
    end = Timestamp.text(sample.endDate)
    if let quantity = (sample as? HKQuantitySample)?.quantity {
      value = quantity.doubleValue(for: quantity.unit)
      unit = quantity.unit.unitString
    } else if let category = sample as? HKCategorySample {
      value = Double(category.value)
    }
    beats = (sample as? HKHeartbeatSeriesSample)?.heartbeats?.map {
      Beat(offset: $0.timeIntervalSinceStart, precededByGap: $0.precededByGap)
    }
    source = Source(
      name: sample.sourceRevision.source.name, bundleIdentifier: sample.sourceRevision.source.bundleIdentifier
    )
    device = sample.device.map(Device.init)
    metadata = (sample.metadata ?? [:]).compactMapValues(MetadataValue.init)
  }
}

extension SampleLine.Device {
  init(_ device: HKDevice) {
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

/// A value of a sample's metadata, as JSON has it: text, number, truth, or a quantity's value and unit.
enum MetadataValue: Encodable {
  case text(String)
  case truth(Bool)
  case integer(Int64)
  case number(Double)
  case date(Date)
  case quantity(HKQuantity)

  init?(_ value: Any) {
    switch value {
    case let text as String: self = .text(text)
    case let date as Date: self = .date(date)
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
    case .date(let date): try container.encode(Timestamp.text(date))
    case .quantity(let quantity):
      try container.encode(
        Quantity(value: quantity.doubleValue(for: quantity.unit), unit: quantity.unit.unitString))
    }
  }
}
