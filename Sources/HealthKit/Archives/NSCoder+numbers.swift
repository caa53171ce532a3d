import Foundation

/// Numbers in archives: nil for what is absent, of another class, or not such a number.
extension NSCoder {
  func number(forKey key: String) -> Double? {
    object(NSNumber.self, forKey: key).map(\.doubleValue)
  }

  func integer(forKey key: String) -> Int? {
    object(NSNumber.self, forKey: key).flatMap { Int(exactly: $0) }
  }

  func value<Value: RawRepresentable<Int>>(_ type: Value.Type, forKey key: String) -> Value? {
    integer(forKey: key).flatMap(Value.init(rawValue:))
  }

  func values<Value: RawRepresentable<Int>>(_ type: Value.Type, forKey key: String) -> [Value]? {
    guard let numbers = objects([NSNumber.self], forKey: key) else { return nil }
    let values = numbers.compactMap { number in
      (number as? NSNumber).flatMap { Int(exactly: $0) }.flatMap(Value.init(rawValue:))
    }
    return values.count == numbers.count ? values : nil
  }
}

extension NSCoder {
  func encodeNumber(_ number: Int, forKey key: String) {
    encode(NSNumber(value: number), forKey: key)
  }

  func encodeNumber(_ number: Double, forKey key: String) {
    encode(NSNumber(value: number), forKey: key)
  }

  func encodeValues(_ values: [some RawRepresentable<Int>], forKey key: String) {
    encode(values.map { NSNumber(value: $0.rawValue) } as NSArray, forKey: key)
  }
}
