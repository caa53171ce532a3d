import Foundation

/// How this module reads numbers: nil for what is absent, where Foundation answers 0.
extension NSCoder {
  func integer(forKey key: String) -> Int? {
    containsValue(forKey: key) ? decodeInteger(forKey: key) : nil
  }

  func real(forKey key: String) -> Double? {
    containsValue(forKey: key) ? decodeDouble(forKey: key) : nil
  }

  /// nil for a number that is not a case.
  func value<Value: RawRepresentable<Int>>(_ type: Value.Type, forKey key: String) -> Value? {
    integer(forKey: key).flatMap(Value.init(rawValue:))
  }
}
