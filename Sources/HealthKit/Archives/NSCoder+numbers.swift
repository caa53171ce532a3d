import Foundation

/// How this module reads numbers: nil for what is absent, where Foundation answers 0.
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

  /// nil also for a number that is not a case.
  func value<Value: RawRepresentable<UInt>>(_ type: Value.Type, forKey key: String) -> Value? {
    integer(forKey: key).flatMap { UInt(exactly: $0) }.flatMap(Value.init(rawValue:))
  }

  /// nil also for a number that is not a case.
  func value<Value: RawRepresentable<Int>>(_ type: Value.Type, forKey key: String) -> Value? {
    integer(forKey: key).flatMap(Value.init(rawValue:))
  }

  /// nil if there is no array, or one that holds anything but cases.
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
