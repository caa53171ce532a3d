import HealthKit

/// The object after a round trip through an archive.
func archived<Object: HKArchivable>(_ object: Object) throws -> Object? {
  let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
}

/// Whether the object's archive cannot be read when one value in it is another. Fails if the value is not in there,
/// which would prove nothing.
func isRefused<Object: HKArchivable>(
  _ object: Object, replacing old: NSObject, with new: NSObject
) throws -> Bool {
  let archive = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  let forged = try replacing(old, with: new, in: archive)
  return (try? NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: forged)) == nil
}

private func replacing(_ old: NSObject, with new: NSObject, in archive: Data) throws -> Data {
  var format = PropertyListSerialization.PropertyListFormat.binary
  let list = try PropertyListSerialization.propertyList(from: archive, format: &format)
  guard var root = list as? [String: Any], let objects = root["$objects"] as? [Any] else {
    throw CocoaError(.coderReadCorrupt)
  }
  guard objects.contains(where: { old.isEqual($0) }) else { throw CocoaError(.coderValueNotFound) }
  root["$objects"] = objects.map { old.isEqual($0) ? new : $0 }
  return try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0)
}
