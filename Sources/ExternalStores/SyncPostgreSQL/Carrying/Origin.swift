import Foundation
import HealthKit

/// What many samples have in common: a row of `hrgate.origin`, in the order of its columns.
struct Origin: Hashable {
  let type: String
  let unit: String?
  let source: String
  let sourceName: String
  let sourceVersion: String?
  let productType: String?
  let operatingSystem: String?
  let device: String?
  let deviceDetails: String?
  let metadata: String?

  /// - Parameter metadata: as JSON; nil where the sample keeps its own.
  init(of sample: HKSample, metadata: [UInt8]?) throws(RecordFlaw) {
    let revision = sample.sourceRevision
    type = sample.sampleType.identifier
    unit = (sample as? HKQuantitySample)?.quantity.unit.unitString
    source = revision.source.bundleIdentifier
    sourceName = revision.source.name
    sourceVersion = revision.version
    productType = revision.productType
    let system = revision.operatingSystemVersion
    operatingSystem =
      system.majorVersion == 0
      ? nil : "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
    device = sample.device.flatMap { $0.name ?? $0.model ?? $0.manufacturer ?? $0.localIdentifier }
    deviceDetails = try sample.device.map { device throws(RecordFlaw) in
      String(decoding: try JSONWriter.texts(Self.details(device)), as: UTF8.self)
    }
    self.metadata = metadata.map { String(decoding: $0, as: UTF8.self) }
    guard !columns.contains(where: { $0?.utf8.contains(0) ?? false }) else { throw .text }
  }

  var columns: [String?] {
    [
      type, unit, source, sourceName, sourceVersion, productType, operatingSystem, device, deviceDetails,
      metadata,
    ]
  }

  /// Named as in `hrgate export`.
  private static func details(_ device: HKDevice) -> [String: String?] {
    [
      "name": device.name, "manufacturer": device.manufacturer, "model": device.model,
      "hardwareVersion": device.hardwareVersion, "firmwareVersion": device.firmwareVersion,
      "softwareVersion": device.softwareVersion, "localIdentifier": device.localIdentifier,
      "udiDeviceIdentifier": device.udiDeviceIdentifier,
    ]
  }
}
