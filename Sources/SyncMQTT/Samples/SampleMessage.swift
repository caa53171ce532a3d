internal import Foundation
internal import HealthDataSync
internal import HealthKit

/// What is published of a sample. The names are those of `hrgate samples --json`, and a promise; what a
/// sample does not have is absent.
struct SampleMessage: Encodable {
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
    /// Seconds after the start.
    var offset: TimeInterval
    var precededByGap: Bool
  }

  struct Quantity: Encodable {
    var start: String
    var end: String
    /// In the sample's unit.
    var value: Double
  }

  var uuid: String
  var type: String
  var start: String
  var end: String
  var value: Double?
  var unit: String?
  var beats: [Beat]?
  var series: [Quantity]?
  var source: Source
  var device: Device?
  var metadata: [String: MetadataValue]
  var person: String
  var gateway: String
  var gatewayID: String?

  init(_ record: ExternalRecord, _ identity: ExternalIdentity) {
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
    case .quantities(let quantities):
      series = quantities.map {
        Quantity(
          start: SampleTime.text($0.interval.start), end: SampleTime.text($0.interval.end), value: $0.value)
      }
    }
    let source = sample.sourceRevision.source
    self.source = Source(name: source.name, bundleIdentifier: source.bundleIdentifier)
    device = sample.device.map(Device.init)
    metadata = (sample.metadata ?? [:]).compactMapValues(MetadataValue.init)
    person = identity.person
    gateway = identity.gateway
    gatewayID = identity.gatewayID
  }
}

extension SampleMessage.Device {
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

/// What is published of a sample that was deleted. The store knows no more of it.
struct DeletionMessage: Encodable {
  var uuid: String
  var type: String
  let deleted = true
  var person: String
  var gateway: String
  var gatewayID: String?

  init(_ object: HKDeletedObject, type: HKSampleType, _ identity: ExternalIdentity) {
    uuid = object.uuid.uuidString
    self.type = type.identifier
    person = identity.person
    gateway = identity.gateway
    gatewayID = identity.gatewayID
  }
}
