import Bluetooth
import Foundation
import PacketLog
import Testing

@testable import TestSupport

/// Replays the recorded sessions, whose contents are known, with the built executable.
@Suite struct RecordingTests {
  /// A table with the columns `time_unix_seconds,flags,bpm,rr_1024ths`, as Wireshark's dissector decodes the
  /// log.
  private struct Expected {
    var times: [String] = []
    var heartRates: [Double] = []
    var ticks: [Double] = []

    init(_ path: String) throws {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      for line in text.split(separator: "\n").dropFirst() {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        times.append(
          String(fields[0].prefix { $0 != "." } + "." + fields[0].drop { $0 != "." }.dropFirst().prefix(6)))
        heartRates.append(try #require(Double(fields[2])))
        ticks += fields[3].split(separator: ";").compactMap { Double($0) }
      }
    }
  }

  /// Each log, the table of its contents, and the number of its measurements and RR intervals.
  private static let tables =
    [
      (Recordings.path("open-60s.btsnoop"), Recordings.path("open-60s.expected.csv"), 107, 56),
      (Recordings.path("bonded-60s.btsnoop"), Recordings.path("bonded-60s.expected.csv"), 53, 124),
    ]
    + PublishedRecordings.present("real-cardiosport.expected.csv").flatMap { table in
      PublishedRecordings.present("real-cardiosport.1002.btsnoop", "real-cardiosport.2001.btsnoop")
        .map { ($0, table, 20, 24) }
    }

  @Test(arguments: tables)
  func `all measurements of a strap, their times and their beats`(
    log: String, table: String, measurements: Int, intervals: Int
  ) throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    let outcome = try #require(
      Command.hrgate("replay", log, "--store", store, "--json").objects().first)
    #expect(outcome["measurements"] as? Int == measurements)
    #expect((outcome["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] == measurements)

    let samples = try Samples(store: store)
    let expected = try Expected(table)
    #expect(samples.heartRateValues == expected.heartRates)
    #expect(samples.startTimes.map(unixSeconds) == expected.times)
    #expect(expected.ticks.count == intervals)
    #expect(samples.ticks.flatMap(\.self) == expected.ticks)
    for sample in samples.objects {
      #expect((sample["metadata"] as? [String: Any])?["HKHeartRateSensorLocation"] as? Int == 1)
      #expect(
        (sample["source"] as? [String: String])?["bundleIdentifier"]?.hasPrefix("org.hrgate.monitor.") == true
      )
    }
  }

  @Test(
    arguments: Recordings.sessions.map { (Recordings.path("\($0).btsnoop"), nil) }
      + zip(
        PublishedRecordings.present("real-cardiosport.2001.btsnoop"),
        PublishedRecordings.present("real-cardiosport.1002.btsnoop").map(Optional.some)))
  func `both containers of a session give the same samples`(monitor: String, uart: String?) throws {
    let folder = try TemporaryFolder()
    let packets = RecordedLog(try PacketLogFile.open(path: monitor)).packets
    let other = try uart ?? folder.file("uart.btsnoop", btsnoopH4Log(packets))
    let first = try Command.samples(of: monitor)
    #expect(first == (try Command.samples(of: other)))
    #expect(!first.isEmpty)
  }

  @Test(
    arguments: [(Recordings.path("open-60s.btsnoop"), 107), (Recordings.path("bonded-60s.btsnoop"), 53)]
      + PublishedRecordings.present("real-cardiosport.1002.btsnoop").map { ($0, 20) })
  func `a second replay stores nothing and calls all of it duplicates`(log: String, count: Int) throws {
    let folder = try TemporaryFolder()
    let arguments = ["replay", log, "--store", folder.path("s.sqlite"), "--json"]
    _ = try Command.hrgate(arguments)
    let before = try Command.hrgate("samples", "--store", folder.path("s.sqlite"), "--json").output
    let second = try #require(Command.hrgate(arguments).objects().first)
    #expect((second["stored"] as? [String: Int])?.isEmpty == true)
    #expect(second["duplicates"] as? Int == count)
    #expect(try Command.hrgate("samples", "--store", folder.path("s.sqlite"), "--json").output == before)
  }

  @Test(arguments: zip(Recordings.sessions, [107, 53]))
  func `every value of the trace, in order, with one break at the link loss`(name: String, count: Int) throws
  {
    let frames = try Recordings.text("\(name).trace.jsonl").split(separator: "\n").compactMap { line in
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return event?["event"] as? String == "sent" ? event?["hex"] as? String : nil
    }
    #expect(frames.count == count)
    let samples = try Samples(replaying: [Recordings.path("\(name).btsnoop")])
    #expect(samples.heartRateValues == frames.compactMap(Frame.heartRate))
    #expect(samples.ticks.flatMap(\.self) == frames.flatMap(Frame.ticks))
    #expect(samples.series.count == 2)
  }

  @Test(
    arguments: [nil]
      + PublishedRecordings.present("real-android-no-hr.1002.btsnoop", "real-btmon-no-hr.2001.btsnoop")
      .map(Optional.some))
  func `other traffic has no heart rate`(log: String?) throws {
    let folder = try TemporaryFolder()
    let result = try Command.hrgate(
      "replay", try log ?? sessionWithoutNotifications(folder), "--dry-run", "--json")
    #expect(result.status == 0)
    #expect(try #require(result.objects().first)["measurements"] as? Int == 0)
  }

  /// Returns a recorded session with its discovery and reads but without its notifications.
  private func sessionWithoutNotifications(_ folder: TemporaryFolder) throws -> String {
    let notification: UInt8 = 0x1B
    let packets = RecordedLog(try Recordings.bytes("open-60s.btsnoop")).packets
    let others = packets.filter { packet in
      guard case .hci(.aclData, .controllerToHost, _) = packet.content else { return true }
      return packet.bytes.count < 9 || packet.bytes[8] != notification
    }
    #expect(others.count > 100 && packets.count - others.count >= 107)
    return try folder.file("others.btsnoop", btsnoopMonitorLog(others))
  }

  private func unixSeconds(_ text: String) -> String {
    guard let date = try? Date(text.prefix(19) + "Z", strategy: .iso8601) else { return text }
    return "\(Int(date.timeIntervalSince1970)).\(text.dropFirst(20).prefix(6))"
  }
}

extension Command {
  /// Returns the samples of a log, as `hrgate samples --json` prints them.
  static func samples(of log: String) throws -> String {
    let folder = try TemporaryFolder()
    _ = try hrgate("replay", log, "--store", folder.path("s.sqlite"))
    return try hrgate("samples", "--store", folder.path("s.sqlite"), "--json").output
  }
}

/// Decodes a frame of 0x2A37 independently of the decoder under test.
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
