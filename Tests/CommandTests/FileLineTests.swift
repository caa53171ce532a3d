import Foundation
import HealthDataSync
import Testing

@testable import HealthKit
@testable import SyncFiles
@testable import hrgate

/// The files that a folder gets, against what `hrgate samples` prints: who reads the one reads the other.
@Suite struct FileLineTests {
  private static let text = "a\"b,c\nd\u{1B}[31m\u{2028}\u{202E}\\é\u{7F}"

  private static let device = HKDevice(
    name: text, manufacturer: "=1+1", model: "H10", hardwareVersion: nil, firmwareVersion: "3.1.1",
    softwareVersion: nil, localIdentifier: "A0:9E:1A:CF:70:1B", udiDeviceIdentifier: "1")

  private func records() throws -> [ExternalRecord] {
    let start = Date(timeIntervalSince1970: -1.5)
    let rate = HKQuantitySample(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72.25), start: start, end: start,
      device: Self.device,
      metadata: [
        "text": Self.text, "flag": false, "number": -3, "share": 0.1, "when": start,
        "weight": HKQuantity(unit: HKUnit(from: "kg"), doubleValue: 70),
      ])
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: 3, start: start, end: start.addingTimeInterval(60))
    let beats = try HKHeartbeatSeriesSample(
      uuid: UUID(), start: start,
      beats: [
        .init(timeIntervalSinceStart: 0, precededByGap: true),
        .init(timeIntervalSinceStart: 0.8125, precededByGap: false),
      ], device: Self.device, metadata: nil)
    return [
      ExternalRecord(sample: rate), ExternalRecord(sample: sleep),
      ExternalRecord(
        sample: beats,
        series: .heartbeats([
          .init(timeSinceStart: 0, precededByGap: true), .init(timeSinceStart: 0.8125, precededByGap: false),
        ])),
    ]
  }

  @Test func `NDJSON has the lines of samples --json`() throws {
    for record in try records() {
      let line = try LineFormat(.ndjson, person: "Ada").lines(of: record, at: .now)
      #expect(try line == JSONLine.text(hrgate.SampleLine(record.sample)) + "\n")
    }
  }

  @Test func `CSV has the lines of samples --csv`() throws {
    let format = LineFormat(.csv, person: "Ada")
    #expect(format.samplesHeading == hrgate.SampleLine.csvHeading + "\n")
    for record in try records() {
      #expect(try format.lines(of: record, at: .now) == hrgate.SampleLine(record.sample).csv + "\n")
    }
  }
}
