import Foundation

/// How this module reads archives: as Swift values, nil for what is absent or of another class.
extension NSCoder {
  func text(forKey key: String) -> String? {
    decodeObject(of: NSString.self, forKey: spelling(of: key)).map { String(describing: $0) }
  }

  func date(forKey key: String) -> Date? {
    decodeObject(of: NSDate.self, forKey: spelling(of: key)).map { $0 as Date }
  }

  func uuid(forKey key: String) -> UUID? {
    decodeObject(of: NSUUID.self, forKey: spelling(of: key)).map { $0 as UUID }
  }

  func object<Object: NSObject & NSCoding>(_ type: Object.Type, forKey key: String) -> Object? {
    decodeObject(of: type, forKey: spelling(of: key))
  }
}
