import HealthKit

/// The fields of a heart-rate sample and nothing else. Its cost is the lower bound for a sample.
struct PlainSample {
  let uuid: UUID
  let type: String
  let value: Double
  let unit: String
  let start: Date
  let end: Date
  let device: HKDevice?
  let metadata: [String: Any]?
}
