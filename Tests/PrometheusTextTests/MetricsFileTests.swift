import Foundation
import PrometheusText
import Testing

@testable import TestSupport

@Suite struct MetricsFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
  }

  private func mode(_ path: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test func `the text takes the place of what was there, and nothing else is left`() throws {
    let path = folder.path("figures.prom")
    let file = MetricsFile(path, isGroups: false)
    try file.write("one\n")
    let first = try #require(FileHandle(forReadingAtPath: path))
    // A run that was killed left this.
    _ = try folder.file(".figures.prom.new", Array("half".utf8))
    try file.write("two\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "two\n")
    // Whoever had it open reads what it was, to its end.
    #expect(try first.readToEnd() == Data("one\n".utf8))
    #expect(try names == ["figures.prom"])
  }

  @Test func `it is its owner's alone, or the group's to read, whatever the umask and whatever it was`()
    throws
  {
    let path = folder.path("figures.prom")
    _ = try folder.file("figures.prom", [])
    chmod(path, 0o666)
    try MetricsFile(path, isGroups: false).write("a\n")
    #expect(try mode(path) == 0o600)
    try MetricsFile(path, isGroups: true).write("b\n")
    #expect(try mode(path) == 0o640)
  }

  @Test func `a link is replaced, and what it leads to is left alone`() throws {
    let other = try folder.file("other", Array("kept".utf8))
    let path = folder.path("figures.prom")
    for name in [path, folder.path(".figures.prom.new")] {
      try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: other)
    }
    try MetricsFile(path, isGroups: false).write("a\n")
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "kept")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\n")
  }

  @Test func `what cannot be written is told, and what was there stays`() throws {
    let away = #expect(throws: MetricsFileFault.self) {
      try MetricsFile(folder.path("none/f"), isGroups: false).write("a\n")
    }
    #expect(away?.description == "\(folder.path("none/f")) cannot be written: No such file or directory")
    let taken = folder.path("taken")
    try FileManager.default.createDirectory(atPath: taken, withIntermediateDirectories: true)
    let fault = #expect(throws: MetricsFileFault.self) {
      try MetricsFile(taken, isGroups: false).write("a\n")
    }
    #expect(fault?.description == "\(taken) cannot be written: Is a directory")
    #expect(try names == ["taken"])
  }
}
