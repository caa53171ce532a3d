import Foundation

extension NSCoder {
  func data(forKey key: String) -> Data? {
    decodeObject(of: NSData.self, forKey: key).map { $0 as Data }
  }

  func encodeTexts(_ texts: [String], forKey key: String) {
    encode(texts.map { $0 as NSString } as NSArray, forKey: key)
  }

  /// nil if there is no array, or one that holds anything else.
  func texts(forKey key: String) -> [String]? {
    objects([NSString.self], forKey: key)?.map { String(describing: $0) }
  }
}
