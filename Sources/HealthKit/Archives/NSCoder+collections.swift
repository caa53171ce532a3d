import Foundation

extension NSCoder {
  func data(forKey key: String) -> Data? {
    decodeObject(of: NSData.self, forKey: spelling(of: key)).map { $0 as Data }
  }

  /// An array of objects of one class; nil if it is absent or holds anything else.
  func objects<Object: NSObject & NSCoding>(_ type: Object.Type, forKey key: String) -> [Object]? {
    objects([type], forKey: key)?.compactMap { $0 as? Object }
  }

  /// An array of objects of these classes; nil if it is absent or holds anything else.
  func objects(_ classes: [AnyClass], forKey key: String) -> [NSObject]? {
    let found = decodeObject(of: [NSArray.self] + classes, forKey: spelling(of: key))
    guard let array = found as? NSArray else { return nil }
    let objects = array.compactMap { $0 as? NSObject }
    let isPure = objects.allSatisfy { object in classes.contains { object.isKind(of: $0) } }
    return isPure && objects.count == array.count ? objects : nil
  }

  func encodeTexts(_ texts: [String], forKey key: String) {
    encode(texts.map { $0 as NSString } as NSArray, forKey: key)
  }

  /// nil if there is no array, or one that holds anything else.
  func texts(forKey key: String) -> [String]? {
    objects(NSString.self, forKey: key)?.map { String(describing: $0) }
  }
}
