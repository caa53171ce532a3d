import Bluetooth
import Foundation
import Gateway
import HealthKit
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests that hostile names and hostile text of an export are printed harmlessly.
@Suite struct HostileNameTests {
  private let folder: TemporaryFolder
  private let store: String

  private static let names = [
    "\u{1B}[2J\u{1B}]0;title\u{7}", "one\ntwo\r\n2026-01-01 hrgate: lie",
    "=HYPERLINK(\"http://x\",\"y\")", "'); DROP TABLE sample; --", "\u{9B}31m\u{202E}gpj\u{2028}",
    "\"><Record a='&amp;", "@SUM(1+1)*cmd|' /C calc'!A0", lie,
  ]
  /// A name with a line break. Its second line looks like output of hrgate.
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

  /// Returns a record that has the name in every attribute that accepts text.
  private static func record(_ index: Int, _ name: String) -> String {
    let once = escaped(name)
    // In the URL of a record, elements of a list are percent-encoded twice.
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

  /// Returns whether the text moves no cursor, ends no line and changes no writing direction.
  private func isHarmless(_ text: String) -> Bool {
    !text.unicodeScalars.contains { scalar in
      let category = scalar.properties.generalCategory
      return scalar != "\n" && category == .control || scalar.properties.isBidiControl
        || category == .lineSeparator || category == .paragraphSeparator
    }
  }

  /// Returns whether no line of the output is the second line of the name `lie`.
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
  func `no command's output controls the terminal`(arguments: [String]) throws {
    let result = try Command.hrgate(arguments + ["--store", store])
    #expect(isHarmless(result.output) && isHarmless(result.errors))
    #expect(isHonest(result.output) && isHonest(result.errors), "\(result)")
    #expect(!result.output.isEmpty)
  }

  /// Creates a home directory in which sources, monitors and a person's folder have a hostile name.
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

  @Test func `no command prints a line that comes from a name`() async throws {
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
      // `forget` is last, because it removes a strap. Two straps have this name, so the first call only lists
      // them.
      ["forget", Self.lie], ["forget", "C0:FF:EE:00:00:01"],
    ]
    var printed = 0
    for arguments in commands {
      let result = try Command.hrgate(arguments[0], Array(arguments.dropFirst()), environment: environment)
      #expect(isHonest(result.output) && isHonest(result.errors), "\(arguments): \(result)")
      #expect(isHarmless(result.output) && isHarmless(result.errors), "\(arguments): \(result)")
      if (result.output + result.errors).contains("0 problems") { printed += 1 }
    }
    // Most commands print the name.
    #expect(printed > commands.count / 2)
  }

  @Test func `a message is one line, and a usage text has only its own lines`() {
    #expect(StandardError.sentence(Self.lie) == #"hrgate: B\nhrgate: 0 problems found"#)
    let usage = StandardError.usage(
      "The value '\(Self.lie)' is invalid\nUsage: hrgate", arguments: ["hrgate", "--type=\(Self.lie)"])
    #expect(usage == #"hrgate: The value 'B\nhrgate: 0 problems found' is invalid"# + "\nUsage: hrgate")
  }

  @Test func `an error with a hostile name is harmless`() throws {
    for name in Self.names {
      let result = try Command.hrgate("samples", "--source", name + "!", "--store", store)
      #expect(result.status == 1 && isHarmless(result.errors))
    }
    #expect(try isHarmless(Command.hrgate("samples", "--store", folder.path("a\u{1B}[2J")).errors))
  }

  @Test func `a name is only a value in SQL`() throws {
    for (index, name) in Self.names.enumerated() {
      let result = try Command.hrgate("delete", "--source", name, "--yes", "--store", store)
      #expect(result.output.contains("deleted: 1 sample"), "\(name)")
      #expect(try Samples(store: store).heartRates.count == Self.names.count - index - 1)
    }
    #expect(try Command.hrgate("store", "check", "--store", store).status == 0)
  }

  @Test func `a spreadsheet finds no formula and no extra row`() throws {
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

  @Test func `an XML parser finds the records, and an import finds their names`() throws {
    let xml = folder.path("out.xml")
    _ = try Command.hrgate("export", "--format", "apple-health-xml", "-o", xml, "--store", store)
    let script = """
      import sys, xml.etree.ElementTree as tree
      root = tree.parse(sys.argv[1]).getroot()
      print(len(root.findall('Record')), len(list(root.iter())))
      """
    let counted = try Command.tool("python3", ["-c", script, xml])
    let counts = counted.output.split { $0.isWhitespace }.compactMap { Int($0) }
    // Each record has at most two metadata entries. The rest is the root, the date and the user.
    #expect(counts.first == Self.names.count, "\(counted.errors)")
    #expect((counts.last ?? 0) <= Self.names.count * 3 + 3)
    let other = folder.path("other.sqlite")
    _ = try Command.hrgate("import", xml, "--store", other)
    #expect(
      try Command.hrgate("samples", "--json", "--store", other).output
        == Command.hrgate("samples", "--json", "--store", store).output)
  }
}
