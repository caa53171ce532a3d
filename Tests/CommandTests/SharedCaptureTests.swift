import Foundation
import Testing

@testable import TestSupport

/// The recorded sessions with known contents, through the real executable.
@Suite(.enabled(if: SharedCaptures.arePresent, "\(SharedCaptures.absence)"))
struct SharedCaptureTests {
  /// `time_unix_seconds,flags,bpm,rr_1024ths` of the real chest strap.
  private struct Expected {
    var times: [String] = []
    var heartRates: [Double] = []
    var ticks: [Double] = []

    init() throws {
      for line in try SharedCaptures.text("real-cardiosport.expected.csv").split(separator: "\n").dropFirst()
      {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        times.append(
          String(fields[0].prefix { $0 != "." } + "." + fields[0].drop { $0 != "." }.dropFirst().prefix(6)))
        heartRates.append(try #require(Double(fields[2])))
        ticks += fields[3].split(separator: ";").compactMap { Double($0) }
      }
    }
  }

  @Test(arguments: ["real-cardiosport.1002.btsnoop", "real-cardiosport.2001.btsnoop"])
  func `a real strap's twenty measurements and their beats`(log: String) throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    let outcome = try #require(
      Command.hrgate("replay", SharedCaptures.path(log), "--store", store, "--json").objects().first)
    #expect(outcome["measurements"] as? Int == 20)
    #expect((outcome["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] == 20)

    let samples = try Samples(store: store)
    let expected = try Expected()
    #expect(samples.heartRateValues == expected.heartRates)
    #expect(samples.startTimes.map(unixSeconds) == expected.times)
    #expect(expected.ticks.count == 24)
    #expect(samples.ticks.flatMap(\.self) == expected.ticks)
    for sample in samples.objects {
      #expect((sample["metadata"] as? [String: Any])?["HKHeartRateSensorLocation"] as? Int == 1)
      #expect(
        (sample["source"] as? [String: String])?["bundleIdentifier"]?.hasPrefix("org.hrgate.monitor.") == true
      )
    }
  }

  @Test func `both containers of the real strap give the same samples`() throws {
    let first = try Command.samples(of: SharedCaptures.path("real-cardiosport.1002.btsnoop"))
    #expect(first == (try Command.samples(of: SharedCaptures.path("real-cardiosport.2001.btsnoop"))))
    #expect(!first.isEmpty)
  }

  @Test func `a second replay stores nothing and calls all of it duplicates`() throws {
    let folder = try TemporaryFolder()
    let arguments = [
      "replay", SharedCaptures.path("real-cardiosport.1002.btsnoop"), "--store", folder.path("s.sqlite"),
      "--json",
    ]
    _ = try Command.hrgate(arguments)
    let before = try Command.hrgate("samples", "--store", folder.path("s.sqlite"), "--json").output
    let second = try #require(Command.hrgate(arguments).objects().first)
    #expect((second["stored"] as? [String: Int])?.isEmpty == true)
    #expect(second["duplicates"] as? Int == 20)
    #expect(try Command.hrgate("samples", "--store", folder.path("s.sqlite"), "--json").output == before)
  }

  @Test(arguments: [("own-open-60s", 107), ("own-bonded-60s", 53)])
  func `every value of the trace, in order, with one break at the link loss`(name: String, count: Int) throws
  {
    let frames = try SharedCaptures.text("\(name).trace.jsonl").split(separator: "\n").compactMap { line in
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return event?["event"] as? String == "sent" ? event?["hex"] as? String : nil
    }
    #expect(frames.count == count)
    let samples = try Samples(replaying: [SharedCaptures.path("\(name).btsnoop")])
    #expect(samples.heartRateValues == frames.compactMap(Frame.heartRate))
    #expect(samples.ticks.flatMap(\.self) == frames.flatMap(Frame.ticks))
    #expect(samples.series.count == 2)
  }

  @Test(arguments: ["real-android-no-hr.1002.btsnoop", "real-btmon-no-hr.2001.btsnoop"])
  func `other traffic has no heart rate`(log: String) throws {
    let result = try Command.hrgate("replay", SharedCaptures.path(log), "--dry-run", "--json")
    #expect(result.status == 0)
    #expect(try #require(result.objects().first)["measurements"] as? Int == 0)
  }

  private func unixSeconds(_ text: String) -> String {
    guard let date = try? Date(text.prefix(19) + "Z", strategy: .iso8601) else { return text }
    return "\(Int(date.timeIntervalSince1970)).\(text.dropFirst(20).prefix(6))"
  }
}

extension Command {
  /// The samples of a log, as printed.
  static func samples(of log: String) throws -> String {
    let folder = try TemporaryFolder()
    _ = try hrgate("replay", log, "--store", folder.path("s.sqlite"))
    return try hrgate("samples", "--store", folder.path("s.sqlite"), "--json").output
  }
}

/// A frame of 0x2A37 read by hand, so that these tests do not believe the decoder that they test.
private enum Frame {
  static func heartRate(_ hex: String) -> Double? {
    UInt8(hex.dropFirst(2).prefix(2), radix: 16).map(Double.init)
  }

  static func ticks(_ hex: String) -> [Double] {
    guard let flags = UInt8(hex.prefix(2), radix: 16), flags & 0x10 != 0 else { return [] }
    var rest = hex.dropFirst(flags & 0x08 != 0 ? 8 : 4)
    var ticks: [Double] = []
    while rest.count >= 4, let low = UInt16(rest.prefix(2), radix: 16),
      let high = UInt16(rest.dropFirst(2).prefix(2), radix: 16)
    {
      ticks.append(Double(high << 8 | low))
      rest = rest.dropFirst(4)
    }
    return ticks
  }
}
