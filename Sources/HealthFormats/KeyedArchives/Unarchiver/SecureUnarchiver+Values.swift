internal import Foundation

extension SecureUnarchiver {
  /// A number of the object being decoded; nil if the key is absent.
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

  /// The bytes of a key, whether they stand there or are referred to.
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

  /// The text of a key, whether it stands there or is referred to.
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

  /// A string, number, date or data that stands among the archive's objects by itself.
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

  /// A date that calendars can reckon with; they trap on one that is no number.
  func date(_ seconds: Double, _ node: Int) throws(ArchiveError) -> NSDate {
    guard seconds.isFinite else { throw malformed("date", node) }
    return NSDate(timeIntervalSinceReferenceDate: seconds)
  }
}
