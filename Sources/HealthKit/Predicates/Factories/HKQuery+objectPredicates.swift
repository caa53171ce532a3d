public import Foundation
import HealthStorage

// Predicates on all objects. Use them in a query, alone or in an `NSCompoundPredicate`.

extension HKQuery {
  /// Returns a predicate for the object with a UUID.
  public class func predicateForObject(with uuid: UUID) -> NSPredicate {
    FilterPredicate(.uuids([uuid]))
  }

  /// Returns a predicate for the objects with one of several UUIDs.
  public class func predicateForObjects(with uuids: Set<UUID>) -> NSPredicate {
    FilterPredicate(.uuids(uuids))
  }

  /// Returns a predicate for the objects of a source.
  public class func predicateForObjects(from source: HKSource) -> NSPredicate {
    FilterPredicate(.sources([source.bundleIdentifier]))
  }

  /// Returns a predicate for the objects of several sources.
  public class func predicateForObjects(from sources: Set<HKSource>) -> NSPredicate {
    FilterPredicate(.sources(Set(sources.map(\.bundleIdentifier))))
  }

  /// Returns a predicate for objects of certain source revisions. All fields except the name of the source
  /// must be equal. A missing field equals only a missing field.
  ///
  /// `HKSourceRevisionAnyVersion`, `HKSourceRevisionAnyProductType` and `HKSourceRevisionAnyOperatingSystem`
  /// match any value.
  public class func predicateForObjects(from sourceRevisions: Set<HKSourceRevision>) -> NSPredicate {
    FilterPredicate(.revisions(Set(sourceRevisions.map(\.pattern))))
  }

  /// Returns a predicate for objects of certain devices. All eight fields must be equal. A missing field
  /// equals only a missing field.
  public class func predicateForObjects(from devices: Set<HKDevice>) -> NSPredicate {
    FilterPredicate(.devices(Set(devices.map(\.record))))
  }

  /// Returns a predicate for objects of devices with certain values of a property. It never matches objects
  /// without a device.
  ///
  /// Traps on a key that is not a device property.
  /// - Parameters:
  ///   - key: A device property key such as `HKDevicePropertyKeyName`.
  ///   - allowedValues: The values to match. If empty, objects of devices without the property match.
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
    guard let property = HKDevice.properties.first(where: { $0.key == key }) else {
      throw HKValidationError(.invalidArgument, "no device property has this key")
    }
    self = property.field
  }
}
