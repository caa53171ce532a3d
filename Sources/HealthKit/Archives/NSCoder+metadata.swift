import Foundation

extension NSCoder {
  func encodeMetadata(_ metadata: ObjectMetadata?, forKey key: String) {
    guard let metadata else { return }
    let dictionary = NSMutableDictionary()
    for (name, value) in metadata.dictionary { dictionary[name as NSString] = value }
    encode(dictionary, forKey: key)
  }

  /// nil for metadata that no object could have.
  func metadata(forKey key: String) -> ArchivedPresence<ObjectMetadata>? {
    guard hasValue(forKey: key) else { return ArchivedPresence(object: nil) }
    let classes: [AnyClass] = [
      NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, HKQuantity.self,
    ]
    guard let found = decodeObject(of: classes, forKey: spelling(of: key)) else {
      // Apple's framework writes a null where there is none.
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
