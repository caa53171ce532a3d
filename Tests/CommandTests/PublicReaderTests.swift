import Foundation
import Testing

@testable import TestSupport

/// Tests that programs from PyPI that read Apple Health exports also read those of `hrgate export`. Only in
/// the long run, because they are installed from the network.
@Suite(.enabled(if: isLongRun), .timeLimit(.minutes(30))) struct PublicReaderTests {
  private static let packages = [
    "apple-health-parser==2.0.5", "apple-health==2.0.0", "healthkit-to-sqlite==1.0.1",
  ]

  /// Prints the number of heart rates that each reader found. apple-health-parser uses the first metadata
  /// entry of a heart rate as its motion context, so its raw records are counted.
  private static let script = """
    import os, sqlite3, subprocess, sys
    folder, python = sys.argv[1:]
    os.chdir(folder)
    from apple_health_parser.utils.parser import Parser
    parser = Parser(export_file="export.zip", output_dir="parsed")
    print(len(parser.records["HKQuantityTypeIdentifierHeartRate"]))
    from health import HealthData
    data = HealthData.read("export.xml")
    print(sum("HeartRate" in record.name for record in data.records))
    subprocess.run([os.path.join(os.path.dirname(python), "healthkit-to-sqlite"), "export.zip", "h.db"], check=True)
    print(sqlite3.connect("h.db").execute("SELECT count(*) FROM rHeartRate").fetchone()[0])
    """

  @Test func `three readers from PyPI find every heart rate of an export`() throws {
    let folder = try TemporaryFolder()
    let python = folder.path("venv/bin/python")
    let made = try Command.tool("python3", ["-m", "venv", folder.path("venv")])
    let installed =
      made.status == 0
      ? try Command.tool("env", [python, "-m", "pip", "-q", "install"] + Self.packages) : made
    guard installed.status == 0 else {
      print("skipped: pip cannot install \(Self.packages): \(installed.errors.suffix(200))")
      return
    }
    let (log, store) = (folder.path("h.btsnoop"), folder.path("store"))
    #expect(try Command.hrgate("simulate", "--duration", "2m", "-o", log).status == 0)
    #expect(try Command.hrgate("replay", log, "--store", store).status == 0)
    let export = folder.path("export.xml")
    let exported = try Command.hrgate(
      "export", "--format", "apple-health-xml", "-o", export, "--store", store)
    #expect(exported.status == 0, "\(exported.errors)")
    let zipped = try Command.tool(
      "python3",
      [
        "-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').write(sys.argv[2], sys.argv[3])",
        folder.path("export.zip"), export, "apple_health_export/export.xml",
      ])
    #expect(zipped.status == 0, "\(zipped.errors)")
    let text = try String(contentsOfFile: export, encoding: .utf8)
    let count = text.components(separatedBy: #"<Record type="HKQuantityTypeIdentifierHeartRate""#).count - 1
    #expect(count > 100)
    let read = try Command.tool("env", [python, "-c", Self.script, folder.url.path, python])
    #expect(read.status == 0, "\(read.errors.suffix(2000))")
    let counts = read.output.split(separator: "\n").compactMap { Int($0) }
    #expect(counts == [count, count, count])
  }
}
