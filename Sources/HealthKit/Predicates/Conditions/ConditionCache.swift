import Foundation
import HealthStorage
import Synchronization

/// Conditions that were decoded a moment ago: a query asks with the same bytes for each row.
final class ConditionCache<Condition: Decodable & Sendable>: Sendable {
  /// More than one query has at a time, and few enough to forget at once.
  private static var capacity: Int { 64 }
  private let known = Mutex<[EncodedCondition: Condition]>([:])

  /// nil for bytes that are not such a condition's.
  func condition(_ encoded: EncodedCondition) -> Condition? {
    if let condition = known.withLock({ $0[encoded] }) { return condition }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let condition = try? decoder.decode(Condition.self, from: encoded.bytes) else { return nil }
    known.withLock { known in
      if known.count >= Self.capacity { known.removeAll() }
      known[encoded] = condition
    }
    return condition
  }
}
