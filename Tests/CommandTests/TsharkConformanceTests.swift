import Foundation
import Testing

@testable import TestSupport

/// Compares hrgate's decoding with that of Wireshark's dissector on the same logs.
@Suite(.enabled(if: Command.path(of: "tshark") != nil, "skipped: tshark is not installed"))
struct TsharkConformanceTests {
  private struct Measurement: Equatable {
    var time: String
    var heartRate: Double
  }

  @Test(
    arguments: Recordings.sessions.map { Recordings.path("\($0).btsnoop") }
      + PublishedRecordings.present(
        "real-cardiosport.1002.btsnoop", "real-cardiosport.2001.btsnoop", "real-android-no-hr.1002.btsnoop",
        "real-btmon-no-hr.2001.btsnoop"))
  func `tshark and hrgate agree on every measurement`(log: String) throws {
    let theirs = try Command.tool(
      "tshark",
      [
        "-r", log, "-Y", "btatt.heart_rate_measurement.flags", "-T", "fields", "-E",
        "aggregator=;",
        "-e", "frame.time_epoch", "-e", "btatt.heart_rate_measurement.value.8",
        "-e", "btatt.heart_rate_measurement.value.16", "-e", "btatt.heart_rate_measurement.rr_interval",
      ])
    var measurements: [Measurement] = []
    var ticks: [Double] = []
    for line in theirs.lines {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      measurements.append(
        Measurement(
          time: microseconds(String(fields[0])),
          heartRate: try #require(Double(fields[1].isEmpty ? fields[2] : fields[1]))))
      ticks += fields[3].split(separator: ";").compactMap { Double($0) }
    }
    let samples = try Samples(replaying: [log])
    let ours = zip(samples.startTimes, samples.heartRateValues).map {
      Measurement(time: epoch($0), heartRate: $1)
    }
    #expect(ours == measurements)
    #expect(samples.ticks.flatMap(\.self) == ticks)
  }

  /// Shortens a time of tshark, which has nanoseconds, to microseconds.
  private func microseconds(_ text: String) -> String {
    text.prefix { $0 != "." } + "." + text.drop { $0 != "." }.dropFirst().prefix(6)
  }

  private func epoch(_ text: String) -> String {
    guard let date = try? Date(text.prefix(19) + "Z", strategy: .iso8601) else { return text }
    return "\(Int(date.timeIntervalSince1970)).\(text.dropFirst(20).prefix(6))"
  }
}
