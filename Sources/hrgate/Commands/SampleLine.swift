import Foundation
import HealthDataSync
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
