import Foundation

extension NSCoder {
  func activityType(forKey key: String) -> HKWorkoutActivityType? {
    UInt(exactly: decodeInteger(forKey: key)).flatMap { HKWorkoutActivityType(rawValue: $0) }
  }
}
