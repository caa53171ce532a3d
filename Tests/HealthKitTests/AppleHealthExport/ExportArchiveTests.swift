import AppleHealthExport
import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// Tests the forms of an export: as zip archive, compressed, unpacked, and through a pipe.
struct ExportArchiveTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes files into a directory.
  private func tree(_ files: [String: String], in name: String = "tree") throws -> String {
    for (file, text) in files {
      let url = URL(filePath: folder.path(name)).appending(path: file)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    return folder.path(name)
  }

  @discardableResult
  private func run(_ program: String, _ arguments: [String], in directory: String? = nil) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    if let directory { process.currentDirectoryURL = URL(filePath: directory) }
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func zip(_ files: [String: String], _ options: [String] = [], cut: Int? = nil) throws -> String {
    let path = folder.path("-export [1]*?.zip")
    try? FileManager.default.removeItem(atPath: path)
    try #require(try run("zip", ["-q", "-r"] + options + [path, "."], in: try tree(files)) == 0)
    if let cut {
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.prefix(cut).write(to: URL(filePath: path))
    }
    return path
  }

  /// - Parameter script: Python that writes `text` into `archive`.
  private func zip(by script: String, _ text: String) throws -> String {
    let path = folder.path("python.zip")
    let names = "import io, sys, zipfile\ntext = open(sys.argv[1]).read()\npath = sys.argv[2]\n"
    let source = try folder.file("source.xml", Array(text.utf8))
    try #require(try run("python3", ["-c", names + script, source, path]) == 0)
    return path
  }

  private func importing(_ path: String) async throws -> ImportOutcome {
    await AppleHealthImport(path: path).run(into: try emptyStore())
  }

  /// Imports a file through a named pipe.
  private func piping(_ path: String) async throws -> ImportOutcome {
    let pipe = folder.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let writer = Process()
    writer.executableURL = URL(filePath: "/bin/sh")
    writer.arguments = ["-c", "cat \"$1\" >\"$2\"", "sh", path, pipe]
    try writer.run()
    let outcome = try await importing(pipe)
    writer.terminate()
    try FileManager.default.removeItem(atPath: pipe)
    return outcome
  }

  @Test(arguments: ["export.xml", "导出.xml", "Экспорт.xml", "exportación.xml", "EXPORT.XML"])
  func `the export is found under its name in any language`(name: String) async throws {
    let text = export(heartRate())
    let path = try zip([
      "apple_health_export/\(name)": text, "apple_health_export/export_cda.xml": "<ClinicalDocument/>",
      "apple_health_export/ecg_1.csv": "Name,Anna",
    ])
    let outcome = try await importing(path)
    #expect(outcome.stored == 1 && outcome.isComplete)
    #expect(outcome.totalBytes == Int64(text.utf8.count) && outcome.bytesRead == outcome.totalBytes)
  }

  @Test(arguments: [
    ["apple_health_export/._export.xml": "\u{0}\u{5}\u{16}\u{7}"],
    ["apple_health_export/._export.xml": "\u{0}", "apple_health_export/._export_cda.xml": "\u{0}"],
    ["__MACOSX/apple_health_export/._export.xml": "\u{0}"],
    ["Download/__MACOSX/apple_health_export/._export.xml": "\u{0}"],
    ["notes.xml": "<notes/>", "empty.xml": ""],
  ])
  func `files added by a Mac or by the user do not hide the export`(others: [String: String]) async throws {
    let text = export(heartRate())
    for name in ["apple_health_export/export.xml", "Download/apple_health_export/export.xml"] {
      let outcome = try await importing(try zip(others.merging([name: text]) { $1 }))
      #expect(outcome.stored == 1 && outcome.isComplete, "\(outcome.importError.map { "\($0)" } ?? "")")
      try FileManager.default.removeItem(atPath: folder.path("tree"))
    }
  }

  @Test func `an archive without an export is reported`() async throws {
    let path = try zip(["ecg_1.csv": "Name,Anna", "export_cda.xml": "<ClinicalDocument/>", "a.xml": "<a/>"])
    #expect(try await importing(path).importError == .noExportInside)
  }

  @Test func `of two exports in an archive, the first is imported and the second reported`() async throws {
    let path = try zip(["a/export.xml": export(heartRate()), "b/export.xml": export(heartRate("70"))])
    let outcome = try await importing(path)
    #expect(outcome.importError == .severalInside && outcome.stored == 1 && !outcome.isComplete)
  }

  @Test func `a truncated archive is imported up to its end`() async throws {
    let path = try zip(["export.xml": export(heartRate())], cut: 200)
    guard case .unreadableArchive = try await importing(path).importError else {
      Issue.record("not reported")
      return
    }
    let records = (0..<20_000).map { heartRate("\(50 + $0 % 50).\($0)") }.joined()
    let long = try zip(["export.xml": export(records)])
    let bytes = try Data(contentsOf: URL(filePath: long))
    try bytes.prefix(bytes.count * 9 / 10).write(to: URL(filePath: long))
    let outcome = try await importing(long)
    guard case .unreadableArchive = outcome.importError else {
      Issue.record("not reported: \(outcome.importError.map { "\($0)" } ?? "")")
      return
    }
    #expect(outcome.stored > 10_000 && outcome.isBalanced)
  }

  @Test func `an export whose checksum is wrong is reported`() async throws {
    let path = try zip(["export.xml": export(heartRate("61"))], ["-0"])
    var bytes = try Data(contentsOf: URL(filePath: path))
    let value = try #require(bytes.firstRange(of: Data("value=\"61\"".utf8)))
    bytes[value.lowerBound + 7] = UInt8(ascii: "7")
    try bytes.write(to: URL(filePath: path))
    let outcome = try await importing(path)
    guard case .unreadableArchive = outcome.importError else {
      Issue.record("not reported")
      return
    }
  }

  @Test func `an archive with a password is reported`() async throws {
    let path = try zip(["apple_health_export/export.xml": export(heartRate())], ["-P", "secret"])
    #expect(try await importing(path).importError == .encrypted)
    #expect(try await piping(path).importError == .encrypted)
  }

  @Test(arguments: [
    // A zip archive with zip64 sizes.
    """
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
      with archive.open('export.xml', 'w', force_zip64=True) as file: file.write(text.encode())
    """,
    // A zip archive that was written to a pipe, so that the sizes follow the data.
    """
    class Pipe(io.RawIOBase):
      def __init__(self): self.file = open(path, 'wb')
      def writable(self): return True
      def write(self, data): return self.file.write(bytes(data))
    with zipfile.ZipFile(Pipe(), 'w', zipfile.ZIP_DEFLATED) as archive: archive.writestr('export.xml', text)
    """,
    """
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_BZIP2) as archive: archive.writestr('export.xml', text)
    """,
    // An uncompressed entry that follows another file.
    """
    with zipfile.ZipFile(path, 'w') as archive:
      archive.writestr('a.csv', 'a' * 100000)
      archive.writestr('export.xml', text)
    """,
  ])
  func `archives of other programs are read, from a file and through a pipe`(script: String) async throws {
    let path = try zip(by: script, export(heartRate()))
    for outcome in [try await importing(path), try await piping(path)] {
      #expect(outcome.stored == 1 && outcome.isComplete, "\(outcome.importError.map { "\($0)" } ?? "")")
    }
  }

  @Test(arguments: [("gzip", "gz"), ("bzip2", "bz2"), ("xz", "xz"), ("zstd", "zst")])
  func `a compressed export without an archive is read`(program: String, suffix: String) async throws {
    let source = try folder.file("export.xml", Array(export(heartRate()).utf8))
    guard try run(program, ["-kq", source]) == 0 else { return }
    let path = "\(source).\(suffix)"
    for outcome in [try await importing(path), try await piping(path), try await piping(source)] {
      #expect(outcome.stored == 1 && outcome.isComplete)
    }
  }

  @Test(arguments: ["", "apple_health_export/", "Download/apple_health_export/"])
  func `a directory is searched for the export`(place: String) async throws {
    let text = export(heartRate())
    let path = try tree([
      "\(place)export.xml": text, "\(place)export_cda.xml": "<ClinicalDocument/>", "\(place)._export.xml": "",
      "\(place)workout-routes/route.gpx": "<gpx/>",
    ])
    let outcome = try await importing(path)
    #expect(outcome.stored == 1 && outcome.isComplete && outcome.totalBytes == Int64(text.utf8.count))
    _ = try tree(["another.xml": text])
    #expect(try await importing(path).importError == .severalInside)
    #expect(try await importing(try tree(["a.xml": "<a/>"], in: "without")).importError == .noExportInside)
  }

  @Test func `a file that is not the export is reported by name`() async throws {
    let cda = try folder.file(
      "export_cda.xml", Array("<?xml version=\"1.0\"?>\n<ClinicalDocument xmlns=\"urn:hl7-org:v3\"/>".utf8))
    #expect(try await importing(cda).importError == .clinicalDocument)
    #expect(ImportError.clinicalDocument.description.contains("export.xml"))
    let files: [(String, [UInt8])] = [
      ("le.xml", [0xFF, 0xFE, 0x3C, 0x00]), ("be.xml", [0x00, 0x3C, 0x00, 0x48]),
    ]
    for (name, bytes) in files {
      #expect(try await importing(try folder.file(name, bytes)).importError == .utf16)
    }
  }

  @Test(.timeLimit(.minutes(30))) func `an import from a pipe without data can be stopped`() async throws {
    let pipe = folder.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let outcome = await AppleHealthImport(path: pipe, isCancelled: { true }).run(into: try emptyStore())
    #expect(outcome.isStopped && outcome.importError == nil && !outcome.isComplete)
  }
}
