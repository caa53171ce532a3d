import Foundation

extension SecureUnarchiver {
  /// Returns a number of the current object, or nil if the key is missing.
  func number<Number>(forKey key: String, _ read: KeyPath<ArchivedNumber, Number?>) -> Number? {
    attempt { () throws(ArchiveError) in try requiredNumber(forKey: key, read) }
  }

  func requiredNumber<Number>(
    forKey key: String, _ read: KeyPath<ArchivedNumber, Number?>
  ) throws(ArchiveError) -> Number? {
    guard let node = value(forKey: key) else { return nil }
    guard let number = ArchivedNumber(archive.list.nodes[node])?[keyPath: read] else {
      throw error(.wrongKind(key: key), node)
    }
    return number
  }

  /// Returns the bytes that are stored under a key, inline or referenced.
  func bytes(forKey key: String) throws(ArchiveError) -> Data? {
    guard let node = value(forKey: key) else { return nil }
    guard case .data(let range) = archive.list.nodes[node] else {
      if case .uid = archive.list.nodes[node] {
        return try object(forKey: key, of: [NSData.self], as: NSData.self).map { Data(referencing: $0) }
      }
      throw error(.wrongKind(key: key), node)
    }
    try count(range.count, node)
    return Data(archive.list.bytes[range])
  }

  /// Returns the string that is stored under a key, inline or referenced.
  func text(forKey key: String) throws(ArchiveError) -> String? {
    guard let node = value(forKey: key) else { return nil }
    guard let text = archive.list.string(node) else {
      return try object(forKey: key, of: [NSString.self], as: NSString.self) as String?
    }
    try count(text.utf8.count, node)
    return text
  }

  private func count(_ bytes: Int, _ node: Int) throws(ArchiveError) {
    payload += bytes
    guard payload <= limits.bytes else { throw error(.limitExceeded("bytes of strings and data"), node) }
  }

  /// Decodes a string, number, date or data object that has no class description.
  func inlineObject(_ node: Int, of allowed: [AnyClass]) throws(ArchiveError) -> DecodedObject {
    let name: String
    let type: AnyClass
    let object: NSObject
    switch archive.list.nodes[node] {
    case .string(let text):
      (name, type, object) = ("NSString", NSString.self, NSString(string: text))
    case .bool(let value):
      (name, type, object) = ("NSNumber", NSNumber.self, NSNumber(value: value))
    case .integer(let value):
      (name, type, object) = ("NSNumber", NSNumber.self, NSNumber(value: value))
    case .unsigned(let value):
      (name, type, object) = ("NSNumber", NSNumber.self, NSNumber(value: value))
    case .real(let value):
      (name, type, object) = ("NSNumber", NSNumber.self, NSNumber(value: value))
    case .date(let seconds):
      (name, type, object) = ("NSDate", NSDate.self, try date(seconds, node))
    case .data(let range):
      (name, type, object) = ("NSData", NSData.self, NSData(data: Data(archive.list.bytes[range])))
    default:
      throw malformed("object", node)
    }
    guard ArchivedClass.isKind(type, of: allowed) else { throw error(.unexpectedClass(name), node) }
    let result = DecodedObject(object: object, name: name, classes: [type], visits: 1)
    decoded[node] = result
    return result
  }

  /// Creates a date. Rejects NaN and infinity, because Foundation's calendars trap on them.
  func date(_ seconds: Double, _ node: Int) throws(ArchiveError) -> NSDate {
    guard seconds.isFinite else { throw malformed("date", node) }
    return NSDate(timeIntervalSinceReferenceDate: seconds)
  }
}

/// A number in a property list. Each property is the number as one type, or nil if the conversion would
/// change the value.
struct ArchivedNumber {
  private let node: PropertyListNode

  /// Creates a number, or returns nil if the node is not a number.
  init?(_ node: PropertyListNode) {
    switch node {
    case .bool, .integer, .unsigned, .real: self.node = node
    default: return nil
    }
  }

  var bool: Bool? {
    switch node {
    case .bool(let value): value
    case .integer(let value): value != 0
    default: nil
    }
  }

  var real: Double? {
    switch node {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  var int: Int? { integer() }
  var int32: Int32? { integer() }
  var int64: Int64? { integer() }

  private func integer<Integer: FixedWidthInteger>() -> Integer? {
    switch node {
    case .bool(let value): value ? 1 : 0
    case .integer(let value): Integer(exactly: value)
    case .unsigned(let value): Integer(exactly: value)
    case .real(let value): Integer(exactly: value)
    default: nil
    }
  }
}
