import Foundation
import Testing

/// What comes back of an object that was archived with secure coding; nil if it was refused.
func archivedAndRead<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
  let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  return try? NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
}

/// What comes back of an object in whose archive some values were replaced, whatever holds them; nil if it was refused.
/// A replacement of nil takes the value away.
func readTampered<Object: NSObject & NSSecureCoding>(
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
