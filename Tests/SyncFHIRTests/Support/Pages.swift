import Foundation
import HealthDataSync

@testable import HealthKit

let start = Date(timeIntervalSince1970: 1_795_241_340.123456)

let strap = HKDevice(
  name: "Strap \u{1}H10", manufacturer: "Polar", model: "H10", hardwareVersion: "00760690.03",
  firmwareVersion: "3.1.1", softwareVersion: nil, localIdentifier: "a0:9e:1a:cf:70:1b",
  udiDeviceIdentifier: nil)

func heartRate(
  _ rate: Double = 72, after seconds: TimeInterval = 0, device: HKDevice? = nil,
  metadata: [String: Any]? = nil
) -> HKQuantitySample {
  HKQuantitySample(
    type: HKQuantityType(.heartRate),
    quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: rate),
    start: start.addingTimeInterval(seconds), end: start.addingTimeInterval(seconds), device: device,
    metadata: metadata)
}

/// One of a UUID that is known.
func heartRate(uuid: UUID, metadata: [String: Any]) throws -> HKQuantitySample {
  try HKQuantitySample.make(
    uuid: uuid, type: HKQuantityType(.heartRate),
    quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72), start: start, end: start,
    device: nil, metadata: try ObjectMetadata(metadata))
}

func quantity(
  _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: String, metadata: [String: Any]? = nil
) -> HKQuantitySample {
  HKQuantitySample(
    type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value),
    start: start, end: start.addingTimeInterval(60), metadata: metadata)
}

func series(_ beats: [(TimeInterval, gap: Bool)]) throws -> ExternalRecord {
  let sample = try HKHeartbeatSeriesSample(
    uuid: UUID(), start: start,
    beats: beats.map { .init(timeIntervalSinceStart: $0.0, precededByGap: $0.gap) }, device: strap,
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

/// What `work` threw, which is expected to be an `ExternalStoreError`.
func storeError(_ work: () async throws -> Void) async -> ExternalStoreError? {
  do {
    try await work()
    return nil
  } catch {
    return error as? ExternalStoreError
  }
}
