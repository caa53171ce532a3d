import Foundation

/// Functions that decode common classes. They return nil if the key is missing or its value has another
/// class.
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

/// Functions that decode numbers. They return nil if the key is missing, whereas Foundation's functions
/// return 0.
extension NSCoder {
  func integer(forKey key: String) -> Int? {
    hasValue(forKey: key) ? decodeInteger(forKey: spelling(of: key)) : nil
  }

  func real(forKey key: String) -> Double? {
    hasValue(forKey: key) ? decodeDouble(forKey: spelling(of: key)) : nil
  }

  func flag(forKey key: String) -> Bool? {
    hasValue(forKey: key) ? decodeBool(forKey: spelling(of: key)) : nil
  }

  /// Decodes an enumeration case with an unsigned raw value. Returns nil if the key is missing or there is no
  /// such case.
  func value<Value: RawRepresentable<UInt>>(_ type: Value.Type, forKey key: String) -> Value? {
    integer(forKey: key).flatMap { UInt(exactly: $0) }.flatMap(Value.init(rawValue:))
  }

  /// Decodes an enumeration case. Returns nil if the key is missing or there is no such case.
  func value<Value: RawRepresentable<Int>>(_ type: Value.Type, forKey key: String) -> Value? {
    integer(forKey: key).flatMap(Value.init(rawValue:))
  }

  /// Decodes an array of enumeration cases. Returns nil if the key is missing or an element is not a case.
  func values<Value: RawRepresentable<Int>>(_ type: Value.Type, forKey key: String) -> [Value]? {
    guard let numbers = objects(NSNumber.self, forKey: key) else { return nil }
    let values = numbers.compactMap { number in
      Int(exactly: number).flatMap(Value.init(rawValue:))
    }
    return values.count == numbers.count ? values : nil
  }

  func encodeValues(_ values: [some RawRepresentable<Int>], forKey key: String) {
    encode(values.map { NSNumber(value: $0.rawValue) } as NSArray, forKey: key)
  }
}

extension NSCoder {
  func data(forKey key: String) -> Data? {
    decodeObject(of: NSData.self, forKey: spelling(of: key)).map { $0 as Data }
  }

  /// Decodes an array of objects of one class. Returns nil if the key is missing or an element has another
  /// class.
  func objects<Object: NSObject & NSCoding>(_ type: Object.Type, forKey key: String) -> [Object]? {
    objects([type], forKey: key)?.compactMap { $0 as? Object }
  }

  /// Decodes an array of objects of the given classes. Returns nil if the key is missing or an element has
  /// another class.
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

  /// Decodes an array of strings. Returns nil if the key is missing or an element is not a string.
  func texts(forKey key: String) -> [String]? {
    objects(NSString.self, forKey: key)?.map { String(describing: $0) }
  }
}
