import Foundation
import HealthDataSync

@testable import HealthKit

enum Samples {
  /// A time without a fraction of a second.
  static let start = Date(timeIntervalSince1970: 1_795_000_000)
  static let perMinute = HKUnit.count().unitDivided(by: .minute())
  static let strap = HKDevice(
    name: "Polar H10", manufacturer: "Polar", model: "H10", hardwareVersion: nil, firmwareVersion: "5.0",
    softwareVersion: nil, localIdentifier: "A0:9E:1A:00:00:01", udiDeviceIdentifier: nil)

  static func pulse(
    _ value: Double, at seconds: TimeInterval = 0, lasting duration: TimeInterval = 0,
    device: HKDevice? = strap, metadata: [String: Any]? = nil
  ) -> ExternalRecord {
    let time = start.addingTimeInterval(seconds)
    return ExternalRecord(
      sample: HKQuantitySample(
        type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: perMinute, doubleValue: value),
        start: time, end: time.addingTimeInterval(duration), device: device, metadata: metadata))
  }

  /// Returns a heart rate with this UUID.
  static func pulse(
    _ uuid: UUID, _ value: Double, at seconds: TimeInterval = 0, note: String? = nil, supersedes: Bool = false
  ) throws -> ExternalRecord {
    let time = start.addingTimeInterval(seconds)
    return ExternalRecord(
      sample: try HKQuantitySample.make(
        uuid: uuid, type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: perMinute, doubleValue: value),
        start: time, end: time, device: nil, metadata: try ObjectMetadata(note.map { ["note": $0] } ?? [:])),
      supersedes: supersedes)
  }

  static func pulses(_ count: Int) -> [ExternalRecord] {
    (0..<count).map { pulse(Double(60 + $0 % 40), at: Double($0)) }
  }

  /// Returns a series that starts `seconds` after `start`.
  static func beats(_ offsets: [Double], gapsBefore gaps: Set<Int> = [], at seconds: TimeInterval = 0)
    throws -> ExternalRecord
  {
    let beats = offsets.enumerated().map { (time: $1, gap: gaps.contains($0)) }
    let sample = try HKHeartbeatSeriesSample(
      uuid: UUID(), start: start.addingTimeInterval(seconds),
      beats: beats.map { .init(timeIntervalSinceStart: $0.time, precededByGap: $0.gap) }, device: strap,
      metadata: nil)
    return ExternalRecord(
      sample: sample,
      series: .heartbeats(beats.map { .init(timeSinceStart: $0.time, precededByGap: $0.gap) }))
  }

  static func page(_ added: [ExternalRecord] = [], deleted: [HKDeletedObject] = []) -> ChangePage {
    ChangePage(
      type: added.first?.sample.sampleType ?? HKQuantityType(.heartRate), deleted: deleted, added: added)
  }
}

extension ExternalRecord {
  var uuid: UUID { sample.uuid }
  /// The UUID in PostgreSQL's notation.
  var text: String { sample.uuid.uuidString.lowercased() }
}
