import Foundation
import Testing

@testable import TestSupport

/// Tests `hrgate hrv FILE` with RR intervals in the formats of other programs, and with invalid files.
@Suite struct RRFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func file(_ lines: [String], separator: String = "\n") throws -> String {
    let path = folder.path("\(UUID()).txt")
    try lines.joined(separator: separator).write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private static let intervals = (0..<400).map { beat -> Int in
    let phase = Double(beat)
    return 850 + Int(40 * sin(phase / 2.1) + 30 * sin(phase / 5.3))
  }

  private func line(_ path: String, _ arguments: String...) throws -> [String: Any] {
    try #require(
      Command.hrgate(["hrv", path, "--window", "all", "--json"] + arguments).objects().first)
  }

  @Test func `the formats of other programs are read, in milliseconds or seconds`() throws {
    var time = 0
    let times = Self.intervals.map { interval in
      time += interval
      return time
    }
    let rows = zip(times, Self.intervals)
    func seconds(_ milliseconds: Int) -> String { "\(Double(milliseconds) / 1000)" }
    let files = [
      try file(Self.intervals.map(String.init)),
      try file(Self.intervals.map(seconds)),
      // With CR LF line ends, a heading and a comment.
      try file(["# a morning", "RR"] + Self.intervals.map(String.init) + [""], separator: "\r\n"),
      try file(rows.map { "\(seconds($0))\t\(seconds($1))" }),
      try file(rows.map { "\(seconds($0)) \($1)" }),
      try file(["\u{FEFF}RRI,RRI_Time"] + rows.map { "\($1),\(seconds($0))" }),
      try file(["Time;RR"] + rows.map { "\(seconds($0)); \($1)" }),
      // Times in milliseconds and in nanoseconds; the interval before its time, without headings.
      try file(rows.map { "\($0)\t\($1)" }),
      try file(["sensor timestamp [ns];RR-interval [ms]"] + rows.map { "\($0 * 1_000_000);\($1)" }),
      try file(rows.map { "\($1) \(seconds($0))" }),
      // Additional columns, and quoted headings.
      try file(["RR;HR"] + Self.intervals.map { "\($0);\(60_000 / $0)" }),
      try file([#""time","heart_rate","rr_interval""#] + rows.map { #""\#(seconds($0))",71,"\#($1)""# }),
      try file(["Time [s]\tR-R [s]\tartifact"] + rows.map { "\(seconds($0))\t\(seconds($1))\t0" }),
      // Decimal commas in files whose columns are not separated by commas.
      try file(["RR"] + Self.intervals.map { seconds($0).replacing(".", with: ",") }),
      try file(["RR;HR"] + Self.intervals.map { "\($0),0;71" }),
      try file(rows.map { "\(seconds($0)) \(seconds($1))".replacing(".", with: ",") }),
      try file(["Zeit time;RR"] + rows.map { "\(seconds($0));\($1),0".replacing(".", with: ",") }),
    ]
    let first = try line(files[0])
    #expect(first["beats"] as? Int == 400 && first["start"] as? String == "1970-01-01T00:00:00.000000Z")
    for path in files {
      let figures = try line(path)
      #expect(figures["source"] as? String == path)
      for name in ["sdnn", "rmssd", "lf", "dfaAlpha1", "sampleEntropy"] {
        let (one, other) = (figures[name] as? Double ?? .nan, first[name] as? Double ?? .nan)
        #expect(abs(one - other) < 1e-9 * other, "\(name)")
      }
    }
    let typed = Self.intervals.map(String.init).joined(separator: "\n")
    let read = try Command.hrgate("hrv", "-", "--window", "all", typing: typed)
    #expect(read.lines.first == "-" && read.output.contains("RMSSD ms"))
  }

  @Test func `a time that advances by more than the interval is a gap`() throws {
    let path = try file([
      "0.8\t0.8", "1.6\t0.8", "2.4\t0.8",
      // 3.202 exceeds the sum of the intervals by 2 ms, a rounding error of the program that wrote it. 4.5
      // exceeds it by half a second, which is a gap.
      "3.202\t0.8", "4.5\t0.8", "5.3\t0.9", "6.1\t0.8",
    ])
    let figures = try line(path, "--start", "2026-11-21T06:00:00Z")
    #expect(figures["start"] as? String == "2026-11-21T06:00:00.000000Z")
    // Seven intervals in three periods have four differences, one of them of 100 ms.
    #expect(figures["beats"] as? Int == 7 && figures["pnn50"] as? Double == 25)
    #expect((figures["coverage"] as? Double ?? 0) > 0.999)
  }

  @Test(arguments: [
    (["800", "eight"], "line 2: expected one interval"),
    (["800", "800 800"], "line 2: expected one interval"),
    (["1 800", "2"], "line 2: expected a time and an interval"),
    (["1 2 3"], "line 1: expected a time and an interval"),
    (["812,5", "820,5"], "line 1: a comma separates columns only below a header"),
    (["800", "-5"], "line 2: -5 is not a valid interval"),
    (["800", "nan"], "line 2: expected one interval"),
    (["800", "800", "1e300"], "line 3: 1e300 is not a valid interval"),
    (["1 800", "1.8 800", "1e300 800"], "line 3: invalid interval or time"),
    // Heart rates instead of intervals.
    (["74", "75", "73"], "line 1: these are not RR intervals: their median is 74.0 ms"),
    (["HR", "74", "75"], "line 1: no column is named RR or similar (HR)"),
    (["812;74", "790;75", "801;74"], "line 1: neither column has the times"),
    (["812 74"], "line 1: these are not RR intervals"),
    (["812,74", "790,75"], "line 1: a comma separates columns only below a header"),
    // A comma with two meanings, and a comma that may not be a decimal point.
    (["RR,HR", "812,5,74"], "line 2: expected 2 fields"),
    (["RR;HR", "812;74", "1,024;58", "980;60"], "line 3: 1,024 is ambiguous"),
    (["RR;HR", "1.024,5;58"], "line 2: expected 2 fields"),
    // Times of packets with several beats, instead of times of beats.
    (
      ["Time;RR", "1;800", "1;810", "1;790", "4;800", "4;805"],
      "line 2: the times are not the ends of the intervals"
    ),
    (["time,rr_ms,nn_ms", "0.8,800,800"], "line 1: several columns are named RR or similar"),
    (["time,elapsed,rr", "0.8,0.8,800"], "line 1: several columns are times"),
    // Polar Sensor Logger, a session of Polar Flow, one of its .hrm files, FitCSVTool, a Kubios report.
    (
      ["Phone timestamp;RR-interval [ms]", "2022-03-06T10:42:29.123;812"],
      "line 2: 2022-03-06T10:42:29.123 is not a time in seconds or milliseconds; leave that column out"
    ),
    (["Name,Sport,Date", ",RUNNING,06-03-2022"], "line 1: no column is named RR or similar"),
    (["[Params]", "Version=106", "[HRData]", "812"], "line 2: expected one interval"),
    (
      ["Type,Local Number,Message,Field 1,Value 1,Units 1", #"Data,3,hrv,time,"0.773|0.766",s"#],
      "named RR or similar (Type, Local Number, Message, Field 1, Value 1, Units 1); rename the"
    ),
    (["Kubios HRV, ver. 3.5", "File name:;morning.txt"], "line 2: expected one interval"),
    ([], "has no intervals"), (["RR"], "has no intervals"), (["# nothing"], "has no intervals"),
  ])
  func `an invalid interval is reported with its line`(lines: [String], sentence: String) throws {
    let result = try Command.hrgate("hrv", try file(lines))
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }

  @Test func `a file that is not text or does not exist is reported`() throws {
    let path = folder.path("bytes")
    try Data([0xFF, 0xFE, 0x00, 0xD8]).write(to: URL(filePath: path))
    for (name, sentence) in [
      (path, "not a UTF-8 text file"), (folder.path("none"), "does not exist"),
      (folder.url.path, "cannot be read"),
    ] {
      let result = try Command.hrgate("hrv", name)
      #expect(result.status == 1 && result.errors.contains(sentence), "\(result.errors)")
    }
  }

  @Test func `a file replaces the store and has no source`() throws {
    let path = try file(["800"])
    for wrong in [[path, "--store", "s.sqlite"], [path, "--source", "x"], ["--start", "2026-11-21"]] {
      #expect(try Command.hrgate(["hrv"] + wrong).status == 2)
    }
    let one = try line(path)
    #expect(one["refused"] as? String == "too-few-intervals" && one["beats"] as? Int == 1)
  }
}
