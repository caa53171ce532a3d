import Foundation

extension NSCoder {
  func encodeMetadata(_ metadata: ObjectMetadata?, forKey key: String) {
    guard let metadata else { return }
    let dictionary = NSMutableDictionary()
    for (name, value) in metadata.dictionary { dictionary[name as NSString] = value }
    encode(dictionary, forKey: key)
  }

  /// Returns the metadata, or nil if it is not valid for an object. The result holds nil if there is no
  /// metadata.
  func metadata(forKey key: String) -> ArchivedPresence<ObjectMetadata>? {
    guard hasValue(forKey: key) else { return ArchivedPresence(object: nil) }
    let classes: [AnyClass] = [
      NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, HKQuantity.self,
    ]
    guard let found = decodeObject(of: classes, forKey: spelling(of: key)) else {
      // Apple's framework writes a null if there is no metadata.
      return error == nil ? ArchivedPresence(object: nil) : nil
    }
    guard let dictionary = found as? NSDictionary else { return nil }
    var entries: [String: Any] = [:]
    for (name, value) in dictionary {
      guard let name = name as? NSString else { return nil }
      entries[String(describing: name)] = value
    }
    guard let metadata = try? ObjectMetadata(entries) else { return nil }
    return ArchivedPresence(object: metadata)
  }
}

/// An optional property that was read successfully. `object` is nil if the property is missing.
struct ArchivedPresence<Object> {
  let object: Object?
}

extension NSCoder {
  /// Encodes an object, and omits the key for nil. `encode` would write a null, which counts as present.
  func encodePresent(_ object: (any NSCoding)?, forKey key: String) {
    guard let object else { return }
    encode(object, forKey: key)
  }

  /// Returns an optional property, or nil if it is present but cannot be decoded.
  func presence<Object: NSObject & NSCoding>(
    _ type: Object.Type, forKey key: String
  ) -> ArchivedPresence<Object>? {
    guard hasValue(forKey: key) else { return ArchivedPresence(object: nil) }
    return object(type, forKey: key).map { ArchivedPresence(object: $0) }
  }
}
