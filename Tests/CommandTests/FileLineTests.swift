import Foundation
import Testing

@testable import HealthKit
@testable import TestSupport
@testable import hrgate

/// Compares the files of a sync folder with the output of `hrgate samples`: both have the same format.
@Suite(.timeLimit(.minutes(30))) struct FileLineTests {
  private static let text = "a\"b,c\nd\u{1B}[31m\u{2028}\u{202E}\\é\u{7F}"

  private static let device = HKDevice(
    name: text, manufacturer: "=1+1", model: "H10", hardwareVersion: nil, firmwareVersion: "3.1.1",
    softwareVersion: nil, localIdentifier: "A0:9E:1A:CF:70:1B", udiDeviceIdentifier: "1")

  private func samples() throws -> [HKSample] {
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
    return [rate, sleep, beats]
  }

  @Test(arguments: [("ndjson", "--json"), ("csv", "--csv")])
  func `a sync folder contains the same lines that are printed`(format: String, option: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let archive = folder.path("archive")
    try FileManager.default.createDirectory(atPath: archive, withIntermediateDirectories: true)
    try await HKHealthStore(storeAt: path).save(samples())
    let added = try Command.hrgate(
      "sync", "add", "files", "file://\(archive)?format=\(format)", "--store", path)
    #expect(added.status == 0, "\(added.errors)")
    #expect(try Command.hrgate("sync", "run", "--once", "--store", path).status == 0)
    let files = try FileManager.default.subpathsOfDirectory(atPath: archive)
      .filter { $0.contains("samples") && $0.hasSuffix(format) }
    let arrived = try files.flatMap {
      try String(contentsOfFile: "\(archive)/\($0)", encoding: .utf8).split(separator: "\n").map(String.init)
    }
    let printed = try Command.hrgate("samples", option, "--store", path).lines
    #expect(printed.count == (format == "csv" ? 4 : 3))
    // Compare the lines as sets, because each CSV file of the folder repeats the heading.
    #expect(Set(arrived) == Set(printed))
    #expect(arrived.count >= printed.count)
    #expect(printed.contains { $0.contains("A0:9E:1A:CF:70:1B") && $0.contains("0.8125") })
    #expect(!printed.joined().unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E })
  }
}
