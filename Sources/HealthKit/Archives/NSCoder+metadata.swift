import Foundation

extension NSCoder {
  func encodeMetadata(_ metadata: ObjectMetadata?, forKey key: String) {
    guard let metadata else { return }
    let dictionary = NSMutableDictionary()
    for (name, value) in metadata.dictionary { dictionary[name as NSString] = value }
    encode(dictionary, forKey: key)
  }

  /// Decodes the metadata of an object. Returns nil if the metadata is invalid. If the object has no
  /// metadata, returns an `ArchivedPresence` whose `object` is nil.
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

/// The result of decoding an optional property. `object` is nil if the archive does not contain the property.
struct ArchivedPresence<Object> {
  let object: Object?
}

extension NSCoder {
  /// Encodes an object. Writes nothing for nil, because `encode` would write a null, which decoding would
  /// treat as a present value.
  func encodePresent(_ object: (any NSCoding)?, forKey key: String) {
    guard let object else { return }
    encode(object, forKey: key)
  }

  /// Decodes an optional property. Returns nil if the property is present but invalid.
  func presence<Object: NSObject & NSCoding>(
    _ type: Object.Type, forKey key: String
  ) -> ArchivedPresence<Object>? {
    guard hasValue(forKey: key) else { return ArchivedPresence(object: nil) }
    return object(type, forKey: key).map { ArchivedPresence(object: $0) }
  }
}
