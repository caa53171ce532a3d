public import Foundation
import HealthStorage

// The predicates on any object, to be used in queries alone or in an `NSCompoundPredicate`.

extension HKQuery {
  public class func predicateForObject(with uuid: UUID) -> NSPredicate {
    FilterPredicate(.uuids([uuid]))
  }

  public class func predicateForObjects(with uuids: Set<UUID>) -> NSPredicate {
    FilterPredicate(.uuids(uuids))
  }

  public class func predicateForObjects(from source: HKSource) -> NSPredicate {
    FilterPredicate(.sources([source.bundleIdentifier]))
  }

  public class func predicateForObjects(from sources: Set<HKSource>) -> NSPredicate {
    FilterPredicate(.sources(Set(sources.map(\.bundleIdentifier))))
  }

  /// Objects of these revisions, absent fields included. `HKSourceRevisionAnyVersion`,
  /// `HKSourceRevisionAnyProductType` and `HKSourceRevisionAnyOperatingSystem` stand for any. A source may
  /// have changed its name.
  public class func predicateForObjects(from sourceRevisions: Set<HKSourceRevision>) -> NSPredicate {
    FilterPredicate(.revisions(Set(sourceRevisions.map(\.pattern))))
  }

  /// All eight fields must be equal, absent ones included.
  public class func predicateForObjects(from devices: Set<HKDevice>) -> NSPredicate {
    FilterPredicate(.devices(Set(devices.map(\.record))))
  }

  /// Objects of devices that have one of these values; never objects without a device.
  ///
  /// Traps on a key that is no property of devices.
  /// - Parameters:
  ///   - key: `HKDevicePropertyKeyName` and its like.
  ///   - allowedValues: if it is empty, objects of devices that do not have the property.
  public class func predicateForObjects(
    withDeviceProperty key: String, allowedValues: Set<String>
  ) -> NSPredicate {
    FilterPredicate(.deviceField(requiring(try DeviceRecord.Field(key: key)), allowedValues))
  }
}

extension HKSourceRevision {
  fileprivate var pattern: RevisionPattern {
    let anySystem = HKSourceRevision(
      source: source, version: nil, productType: nil,
      operatingSystemVersion: HKSourceRevisionAnyOperatingSystem
    ).record.operatingSystem
    let record = record
    return RevisionPattern(
      source: record.source.bundleIdentifier,
      version: version == HKSourceRevisionAnyVersion ? .anything : .exactly(version),
      productType: productType == HKSourceRevisionAnyProductType ? .anything : .exactly(productType),
      operatingSystem: record.operatingSystem == anySystem ? .anything : .exactly(record.operatingSystem))
  }
}

extension DeviceRecord.Field {
  init(key: String) throws(HKValidationError) {
    guard let field = Self.ofKey[key] else {
      throw HKValidationError(.invalidArgument, "there is no device property of this key")
    }
    self = field
  }

  private static let ofKey: [String: DeviceRecord.Field] = [
    HKDevicePropertyKeyName: .name, HKDevicePropertyKeyManufacturer: .manufacturer,
    HKDevicePropertyKeyModel: .model, HKDevicePropertyKeyHardwareVersion: .hardwareVersion,
    HKDevicePropertyKeyFirmwareVersion: .firmwareVersion,
    HKDevicePropertyKeySoftwareVersion: .softwareVersion,
    HKDevicePropertyKeyLocalIdentifier: .localIdentifier,
    HKDevicePropertyKeyUDIDeviceIdentifier: .udiDeviceIdentifier,
  ]
}
