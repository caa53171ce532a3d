import Foundation

/// A property that may be missing, as it was read: `object` is nil where there is none.
struct ArchivedPresence<Object> {
  let object: Object?
}

extension NSCoder {
  /// Leaves the key out for nil, for which `encode` would write a null that counts as present.
  func encodePresent(_ object: (any NSCoding)?, forKey key: String) {
    guard let object else { return }
    encode(object, forKey: key)
  }

  /// nil for something that is there and cannot be read.
  func presence<Object: NSObject & NSCoding>(
    _ type: Object.Type, forKey key: String
  ) -> ArchivedPresence<Object>? {
    guard hasValue(forKey: key) else { return ArchivedPresence(object: nil) }
    return object(type, forKey: key).map { ArchivedPresence(object: $0) }
  }
}
