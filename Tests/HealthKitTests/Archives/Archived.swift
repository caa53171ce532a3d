import HealthKit
import Testing

/// Archives an object and returns the object that is unarchived again.
func archived<Object: HKArchivable>(_ object: Object) throws -> Object? {
  let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
}

/// Returns whether an archive is rejected after a value in it was replaced. Fails if the archive does not
/// contain the value, because then the test would prove nothing.
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
  var found = false
  func forged(_ value: Any) -> Any {
    guard old.isEqual(value) else { return value }
    found = true
    return new
  }
  // Replace the value wherever it is an element of `$objects`, or a number within an object.
  root["$objects"] = objects.map { object in
    (object as? [String: Any])?.mapValues(forged) ?? forged(object)
  }
  guard found else { throw CocoaError(.coderValueNotFound) }
  return try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0)
}

/// Unarchives an object after replacing values for keys in any object; nil if the archive is rejected. A
/// replacement of nil removes the value.
func readTampered<Object: HKArchivable>(
  _ object: Object, _ replacements: [String: Any?]
) throws -> Object? {
  let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  let archive = try PropertyListSerialization.propertyList(from: data, format: nil)
  var root = try #require(archive as? [String: Any])
  let objects = try #require(root["$objects"] as? [Any])
  var replaced: Set<String> = []
  root["$objects"] = objects.map { object -> Any in
    guard var fields = object as? [String: Any] else { return object }
    for (key, value) in replacements where fields[key] != nil {
      replaced.insert(key)
      fields[key] = value
    }
    return fields
  }
  #expect(replaced == Set(replacements.keys))
  let tampered = try PropertyListSerialization.data(fromPropertyList: root, format: .binary, options: 0)
  return try? NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: tampered)
}
