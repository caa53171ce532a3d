import AppleHealthExport
import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// The zip that the Health app makes.
struct ExportArchiveTests {
  private func zip(_ files: [String: String], cut: Int? = nil) throws -> (
    folder: TemporaryFolder, path: String
  ) {
    let folder = try TemporaryFolder()
    let inside = URL(filePath: folder.path("apple_health_export"))
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    for (name, text) in files {
      let file = inside.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["zip", "-q", "-r", "./-export [1]*?.zip", "."]
    process.currentDirectoryURL = URL(filePath: folder.path(""))
    try process.run()
    process.waitUntilExit()
    let path = folder.path("-export [1]*?.zip")
    if let cut {
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.prefix(cut).write(to: URL(filePath: path))
    }
    return (folder, path)
  }

  @Test(arguments: ["export.xml", "导出.xml", "Экспорт.xml", "exportación.xml"])
  func `the export is found whatever it is called in the phone's language`(name: String) async throws {
    let text = export(heartRate())
    let (folder, path) = try zip([
      name: text, "export_cda.xml": "<ClinicalDocument/>", "ecg_1.csv": "Name,Anna",
      // As a Mac packs it that has unpacked it.
      "../__MACOSX/apple_health_export/._\(name)": "resources",
    ])
    // Another that the name would mean as a pattern.
    try FileManager.default.copyItem(atPath: path, toPath: folder.path("-export 1and2.zip"))
    let outcome = await AppleHealthImport(path: path).run(into: try emptyStore())
    #expect(outcome.stored == 1 && outcome.isComplete)
    #expect(outcome.totalBytes == Int64(text.utf8.count) && outcome.bytesRead == outcome.totalBytes)
    _ = folder
  }

  @Test func `an archive without one is told apart from one with several`() async throws {
    let without = try zip(["ecg_1.csv": "Name,Anna", "export_cda.xml": "<ClinicalDocument/>"])
    let none = await AppleHealthImport(path: without.path).run(into: nil)
    #expect(none.obstacle == .noExportInside)
    let several = try zip(["a.xml": "<a/>", "b.xml": "<b/>"])
    let two = await AppleHealthImport(path: several.path).run(into: nil)
    #expect(two.obstacle == .severalInside(2))
  }

  @Test func `an archive that is cut is told as damaged`() async throws {
    let cut = try zip(["export.xml": export(heartRate())], cut: 200)
    #expect(await AppleHealthImport(path: cut.path).run(into: nil).obstacle == .damagedArchive)
  }
}
