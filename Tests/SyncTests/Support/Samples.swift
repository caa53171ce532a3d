import Foundation
import HealthDataSync

@testable import HealthKit

let start = Date(timeIntervalSince1970: 1_795_241_340.123456)

func heartRate(
  _ rate: Double = 72, after seconds: TimeInterval = 0, device: HKDevice? = nil, source: String = "Strap",
  metadata: [String: Any]? = nil
) -> HKQuantitySample {
  quantity(.heartRate, rate, "count/min", after: seconds, device: device, source: source, metadata: metadata)
}

func quantity(
  _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: String, after seconds: TimeInterval = 0,
  lasting: TimeInterval = 0, device: HKDevice? = nil, source: String = "Strap", metadata: [String: Any]? = nil
) -> HKQuantitySample {
  let begin = start.addingTimeInterval(seconds)
  let sample = HKQuantitySample(
    type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value),
    start: begin, end: begin.addingTimeInterval(lasting), device: device, metadata: metadata)
  sample.stamp(
    HKSourceRevision(
      source: HKSource(name: source, bundleIdentifier: "org.hrgate.monitor.A0:9E:1A:CF:70:1B"), version: nil))
  return sample
}

func series(_ beats: [(TimeInterval, gap: Bool)], device: HKDevice? = nil) throws -> ExternalRecord {
  let sample = try HKHeartbeatSeriesSample(
    uuid: UUID(), start: start,
    beats: beats.map { .init(timeIntervalSinceStart: $0.0, precededByGap: $0.gap) }, device: device,
    metadata: nil)
  return ExternalRecord(
    sample: sample,
    series: .heartbeats(beats.map { .init(timeSinceStart: $0.0, precededByGap: $0.gap) }))
}

extension ChangePage {
  init(_ added: [HKSample], deleted: [UUID] = [], supersedes: Bool = false) {
    self.init(records: added.map { ExternalRecord(sample: $0, supersedes: supersedes) }, deleted: deleted)
  }

  init(records: [ExternalRecord], deleted: [UUID] = []) {
    self.init(
      type: records.first?.sample.sampleType ?? HKQuantityType(.heartRate),
      deleted: deleted.map { HKDeletedObject(uuid: $0, metadata: nil) }, added: records)
  }
}

/// Returns the error of `work`, or nil if it throws none or another type than `ExternalStoreError`.
func storeError(_ work: () async throws -> Void) async -> ExternalStoreError? {
  do {
    try await work()
    return nil
  } catch {
    return error as? ExternalStoreError
  }
}
