import Foundation
import HealthKit
import Testing

/// Tests the example reader with samples of the example recorder and the gateway.
@Suite(.serialized) struct ReaderTests {
  private let machine: ExampleMachine
  private let application = "org.hrgate.example.reader"
  private let recording = ExampleMachine.package.appending(path: "Recordings/demo.btsnoop").path

  init() throws { machine = try ExampleMachine() }

  /// Starts a reader, answers its permission sheet, and waits until it has shown the existing samples.
  private func reader(answering answer: String...) throws -> PseudoTerminal {
    let reader = try machine.start("HeartRateReader")
    try reader.wait(for: "Waiting for your permission")
    if answer == ["y"] { try machine.answer("y") } else { try machine.answer("n", "n") }
    try reader.wait(for: "no program can know")
    return reader
  }

  @Test func `samples of the gateway are shown with their monitor and by hour`() throws {
    _ = try machine.hrgate("replay", recording)
    let reader = try reader(answering: "y")
    try reader.wait(for: "563 heart rates")
    try reader.wait(for: "The latest")
    let latest = try reader.wait(for: "By the hour")
    #expect(latest.contains("2026-01-01 10:09:59"))
    #expect(latest.contains("BPM  Strap 1"))
    let chart = try reader.wait(for: "●")
    #expect(chart.contains("2026-01-01 09:00"))
    #expect(chart.contains("2026-01-01 10:00   "))
    for line in reader.transcript.split(separator: "\r\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test func `samples that the gateway stores meanwhile are shown`() throws {
    let reader = try reader(answering: "y")
    try reader.wait(for: "0 heart rates")
    _ = try machine.hrgate("replay", recording)
    try reader.wait(for: "+ 2026-01-01 10:")
    try reader.wait(for: "more")
    try reader.wait(for: "By the hour")
  }

  @Test func `samples of another application are shown with its name`() throws {
    let recorder = try machine.start("HeartRateRecorder")
    try recorder.wait(for: "Waiting for your permission")
    try machine.answer("y")
    let reader = try reader(answering: "y")
    try reader.wait(for: "0 heart rates")
    recorder.type("72")
    try recorder.wait(for: "Stored 72 BPM")
    try reader.wait(for: "72 BPM  HeartRateRecorder")
    recorder.type("73")
    try reader.wait(for: "73 BPM  HeartRateRecorder")
    // Samples are not shown twice.
    #expect(reader.transcript.ranges(of: "72 BPM").count == 1)
  }

  @Test func `a denial looks like an empty store, and a grant shows the samples`() throws {
    _ = try machine.hrgate("replay", recording)
    let reader = try reader(answering: "n")
    try reader.wait(for: "0 heart rates")
    _ = try machine.hrgate("permissions", "grant", application, "--type", "heartRate", "--read")
    reader.type("")
    try reader.wait(for: "563 heart rates")
  }

  @Test func `a deletion is shown`() async throws {
    let reader = try reader(answering: "y")
    try reader.wait(for: "0 heart rates")
    let store = try machine.store(of: "org.example.another", named: "Another")
    let sample = HKQuantitySample(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72),
      start: .now, end: .now)
    try await store.save(sample)
    try reader.wait(for: "72 BPM  Another")
    try await store.delete(sample)
    try reader.wait(for: "- 1 deleted")
  }

  @Test func `the name of a source does not control the terminal`() async throws {
    let store = try machine.store(of: "org.example.another", named: "An\u{1B}[2Jother\u{202E}")
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 1e300), start: .now, end: .now))
    let reader = try reader(answering: "y")
    try reader.wait(for: "  ? BPM  An[2Jother\r\n")
    try reader.wait(for: "●")
  }

  @Test func `a cancelled sheet can be requested again`() throws {
    let reader = try machine.start("HeartRateReader")
    try reader.wait(for: "Waiting for your permission")
    try machine.answer("c")
    try reader.wait(for: "Press Enter to try again")
    reader.type("")
    try reader.wait(for: "Waiting for your permission")
    try machine.answer("y")
    try reader.wait(for: "0 heart rates")
  }

  @Test(arguments: ["C", "D"] as [Character])
  func `Ctrl-C and Ctrl-D end it without an error at any time`(key: Character) throws {
    let asking = try machine.start("HeartRateReader")
    try asking.wait(for: "Waiting for your permission")
    asking.control(key)
    #expect(try asking.waitForEnd() == 0)
    #expect(try machine.hrgate("permissions", "ask").contains("no application is waiting"))
    let following = try reader(answering: "y")
    try following.wait(for: "0 heart rates")
    following.control(key)
    #expect(try following.waitForEnd() == 0)
  }
}
