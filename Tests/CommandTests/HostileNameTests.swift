import Bluetooth
import Foundation
import Gateway
import HealthKit
import Testing

@testable import TestSupport
@testable import hrgate

/// Names are their owners' choice, and an export's text anybody's: none does anything but be shown.
@Suite struct HostileNameTests {
  private let folder: TemporaryFolder
  private let store: String

  private static let names = [
    "\u{1B}[2J\u{1B}]0;title\u{7}", "one\ntwo\r\n2026-01-01 hrgate: lie",
    "=HYPERLINK(\"http://x\",\"y\")", "'); DROP TABLE sample; --", "\u{9B}31m\u{202E}gpj\u{2028}",
    "\"><Record a='&amp;", "@SUM(1+1)*cmd|' /C calc'!A0", lie,
  ]
  /// The second line of it would be taken for the program's own.
  private static let lie = "B\nhrgate: 0 problems found"

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    let records = Self.names.enumerated().map(Self.record).joined()
    let file = try folder.file("export.xml", Array("<HealthData>\n\(records)</HealthData>".utf8))
    let result = try Command.hrgate("import", file, "--store", store)
    #expect(result.status == 0 && result.output.contains("\(Self.names.count) stored"), "\(result.errors)")
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  /// With a name for whatever can have one.
  private static func record(_ index: Int, _ name: String) -> String {
    let once = escaped(name)
    // What is a part of a list is escaped once more.
    let twice = escaped(once)
    let exact = [
      "name=\(once)", "source=\(once)", "version=\(once)", "product=\(once)", "device=name:\(twice)",
      "string=\(twice),\(twice)",
    ].joined(separator: " ")
    let time = "2026-01-01 08:0\(index):00 +0100"
    return #"<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="" unit="count/min" "#
      + #"startDate="\#(time)" endDate="\#(time)" value="6\#(index)">"#
      + #"<MetadataEntry key="org.hrgate.sample" value="\#(exact)"/></Record>"# + "\n"
  }

  /// It moves no cursor, ends no line and turns no direction of writing.
  private func isHarmless(_ text: String) -> Bool {
    !text.unicodeScalars.contains { scalar in
      let category = scalar.properties.generalCategory
      return scalar != "\n" && category == .control || scalar.properties.isBidiControl
        || category == .lineSeparator || category == .paragraphSeparator
    }
  }

  /// None of its lines is one that a name made.
  private func isHonest(_ text: String) -> Bool {
    !text.split(separator: "\n").contains { $0.hasPrefix("hrgate: 0 problems") }
  }

  @Test(arguments: [
    ["samples"], ["samples", "--csv"], ["samples", "--json"], ["samples", "--last"], ["sources", "list"],
    ["sources", "list", "--json"], ["sources", "order", "--type", "heartRate"],
    ["stats", "--type", "heartRate"], ["zones", "--maximum", "190"], ["store", "check"],
    ["export", "--format", "csv", "-o", "-"], ["export", "--format", "ndjson", "-o", "-"],
    ["export", "--format", "apple-health-xml", "-o", "-"], ["delete", "--everything"],
  ])
  func `no command's output does anything to a terminal`(arguments: [String]) throws {
    let result = try Command.hrgate(arguments + ["--store", store])
    #expect(isHarmless(result.output) && isHarmless(result.errors))
    #expect(isHonest(result.output) && isHonest(result.errors), "\(result)")
    #expect(!result.output.isEmpty)
  }

  /// A home where sources, devices, straps, destinations and folders of people have such a name.
  private func home() async throws -> [String: String] {
    let place = folder.path("hrgate/health.sqlite")
    let strap = try #require(BluetoothAddress("C0:FF:EE:00:00:01", kind: .random))
    try FileManager.default.createDirectory(
      atPath: folder.path("hrgate/people/\(Self.lie)"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: store, toPath: place)
    let system = try HKHealthStore(storeAt: place)
    let enrolled = ReceiptTime(microsecondsSince1970: 1_767_250_000_000_000)
    for (index, address) in [strap, BluetoothAddress(bits: 7, kind: .publicDevice)].enumerated() {
      try await MonitorRegistry(system).enrol(
        EnrolledMonitor(address: address, name: Self.lie, isBonded: index == 0, enrolled: enrolled))
      let source = HKSource(name: Self.lie, bundleIdentifier: "\(index) \(Self.lie)")
      let beats = try HKHeartbeatSeriesSample.beats(
        [Int](repeating: 1000, count: 400), at: 1_767_250_800 + Double(index))
      try await system.acting(as: source).save(beats)
    }
    return [
      "XDG_DATA_HOME": folder.url.path, "XDG_CONFIG_HOME": folder.path("config"), "HRGATE_STORE": place,
      "PATH": folder.path("none"),
    ].merging(Command.withoutBus(folder)) { $1 }
  }

  @Test func `no command says what a name has it say`() async throws {
    let environment = try await home()
    let commands = [
      ["monitors"], ["monitors", "gaps"], ["people"], ["people", "remove", Self.lie], ["doctor"], ["status"],
      ["stats"], ["hrv"], ["zones", "--maximum", "190"], ["recovery", "2026-01-01T07:05:00Z"], ["derive"],
      ["samples"], ["samples", "--type", Self.lie], ["samples", "--source", Self.lie + "!"],
      ["samples", "--from=\(Self.lie)"], ["samples", "--person", Self.lie], ["sources"], ["permissions"],
      ["export", "--format", "rr", "--for", "kubios", "-o", "-"], ["replay", folder.path(Self.lie)],
      ["export", "--format", "csv", "-o", folder.path("no/\(Self.lie)")], ["sync", "list"],
      ["sync", "run", Self.lie, "--once"], ["service", "status", "--system", "--account", Self.lie],
      ["import", folder.path(Self.lie)], ["store", "check"],
      ["store", "recover", folder.path("none/\(Self.lie)")],
      ["store", "restore", folder.path(Self.lie)], ["hrv", "--file", folder.path(Self.lie)],
      ["config", Self.lie], [Self.lie], ["page", "sessions", "end", Self.lie],
      // Last, for it takes the strap away; two have the name.
      ["forget", Self.lie], ["forget", "C0:FF:EE:00:00:01"],
    ]
    var told = 0
    for arguments in commands {
      let result = try Command.hrgate(arguments[0], Array(arguments.dropFirst()), environment: environment)
      #expect(isHonest(result.output) && isHonest(result.errors), "\(arguments): \(result)")
      #expect(isHarmless(result.output) && isHarmless(result.errors), "\(arguments): \(result)")
      if (result.output + result.errors).contains("0 problems") { told += 1 }
    }
    // The name is seen in what most of them say.
    #expect(told > commands.count / 2)
  }

  @Test func `what the program tells is a line, and a usage has lines of its own alone`() {
    #expect(StandardError.sentence(Self.lie) == #"hrgate: B\nhrgate: 0 problems found"#)
    let usage = StandardError.usage(
      "The value '\(Self.lie)' is invalid\nUsage: hrgate", arguments: ["hrgate", "--type=\(Self.lie)"])
    #expect(usage == #"hrgate: The value 'B\nhrgate: 0 problems found' is invalid"# + "\nUsage: hrgate")
  }

  @Test func `an error that names them does not either`() throws {
    for name in Self.names {
      let result = try Command.hrgate("samples", "--source", name + "!", "--store", store)
      #expect(result.status == 1 && isHarmless(result.errors))
    }
    #expect(try isHarmless(Command.hrgate("samples", "--store", folder.path("a\u{1B}[2J")).errors))
  }

  @Test func `a name is a value in SQL, and nothing else`() throws {
    for (index, name) in Self.names.enumerated() {
      let result = try Command.hrgate("delete", "--source", name, "--yes", "--store", store)
      #expect(result.output.contains("deleted: 1 sample"), "\(name)")
      #expect(try Samples(store: store).heartRates.count == Self.names.count - index - 1)
    }
    #expect(try Command.hrgate("store", "check", "--store", store).status == 0)
  }

  @Test func `a spreadsheet finds no formula and no row too many`() throws {
    let csv = folder.path("out.csv")
    _ = try Command.hrgate("export", "--format", "csv", "-o", csv, "--store", store)
    let script = """
      import csv, sys
      rows = list(csv.reader(open(sys.argv[1], newline='')))
      assert all(len(row) == len(rows[0]) for row in rows)
      assert not any(field[:1] in ('=', '+', '-', '@') for row in rows for field in row if field)
      print(len(rows))
      """
    #expect(try Command.tool("python3", ["-c", script, csv]).output == "\(Self.names.count + 1)\n")
  }

  @Test func `a reader of XML finds the records, and an import their names`() throws {
    let xml = folder.path("out.xml")
    _ = try Command.hrgate("export", "--format", "apple-health-xml", "-o", xml, "--store", store)
    let script = """
      import sys, xml.etree.ElementTree as tree
      root = tree.parse(sys.argv[1]).getroot()
      print(len(root.findall('Record')), len(list(root.iter())))
      """
    let counted = try Command.tool("python3", ["-c", script, xml])
    let counts = counted.output.split { $0.isWhitespace }.compactMap { Int($0) }
    // Each record with two entries of metadata at the most; the root, the date and the user.
    #expect(counts.first == Self.names.count, "\(counted.errors)")
    #expect((counts.last ?? 0) <= Self.names.count * 3 + 3)
    let other = folder.path("other.sqlite")
    _ = try Command.hrgate("import", xml, "--store", other)
    #expect(
      try Command.hrgate("samples", "--json", "--store", other).output
        == Command.hrgate("samples", "--json", "--store", store).output)
  }
}
