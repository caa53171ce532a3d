import FileSystem
import Foundation
import Glibc
import Testing

@testable import TestSupport
@testable import hrgate

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

  @Test func `the file is replaced atomically, and no other file is left`() throws {
    let path = folder.path("hrgate.prom")
    let file = MetricsFile(path, isGroups: false)
    try file.write("one\n")
    let first = try #require(FileHandle(forReadingAtPath: path))
    // Create a temporary file like one that a killed run has left.
    _ = try folder.file(".hrgate.prom.new", Array("half".utf8))
    try file.write("two\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "two\n")
    // A reader that opened the file before reads the old content to its end.
    #expect(try first.readToEnd() == Data("one\n".utf8))
    #expect(try withExtendedLifetime(file) { try names } == [".hrgate.prom.lock", "hrgate.prom"])
  }

  @Test func `only the owner can access the file, or the group can read it`()
    throws
  {
    let path = folder.path("hrgate.prom")
    _ = try folder.file("hrgate.prom", [])
    chmod(path, 0o666)
    try MetricsFile(path, isGroups: false).write("a\n")
    #expect(try mode(path) == 0o600)
    try MetricsFile(path, isGroups: true).write("b\n")
    #expect(try mode(path) == 0o640)
  }

  @Test func `a symbolic link is replaced, and its target is unchanged`() throws {
    let other = try folder.file("other", Array("kept".utf8))
    let path = folder.path("hrgate.prom")
    for name in [path, folder.path(".hrgate.prom.new")] {
      try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: other)
    }
    try MetricsFile(path, isGroups: false).write("a\n")
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "kept")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\n")
  }

  @Test func `a pipe is not replaced`() throws {
    let path = folder.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let fault = #expect(throws: CommandError.self) { try MetricsFile(path, isGroups: false).write("a\n") }
    #expect(fault?.message == "\(path) is not a regular file; choose one, or a name that does not exist yet")
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `a write error is reported, and the previous file stays`() throws {
    let away = #expect(throws: CommandError.self) {
      try MetricsFile(folder.path("none/f"), isGroups: false).write("a\n")
    }
    #expect(away?.message == "\(folder.path("none/f")) cannot be written: No such file or directory")
    let taken = folder.path("taken")
    try FileManager.default.createDirectory(atPath: taken, withIntermediateDirectories: true)
    let fault = #expect(throws: CommandError.self) {
      try MetricsFile(taken, isGroups: false).write("a\n")
    }
    #expect(fault?.message == "\(taken) cannot be written: Is a directory")
    // The temporary file and the lock file have been removed.
    #expect(try names == ["taken"])
  }

  @Test(.enabled(if: SmallDisk.canMount, "only an administrator can mount a disk"))
  func `if the disk is full, the previous file stays complete`() throws {
    let disk = try SmallDisk(size: "64k")
    let path = disk.path + "/hrgate.prom"
    let file = MetricsFile(path, isGroups: false)
    try file.write("a\n")
    try disk.fill()
    let fault = #expect(throws: CommandError.self) { try file.write("b\n") }
    #expect(fault?.message == "\(path) cannot be written: No space left on device")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\n")
    try disk.makeRoom()
    try file.write("c\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "c\n")
  }

  @Test func `only one gateway writes the file, and another gets an error until that one has ended`() throws {
    let path = folder.path("hrgate.prom")
    var first: MetricsFile? = MetricsFile(path, isGroups: false)
    try first?.write("first\n")
    let second = MetricsFile(path, isGroups: false)
    let fault = #expect(throws: CommandError.self) { try second.write("second\n") }
    #expect(
      fault?.message
        == "\(path) is in use by another gateway (process \(getpid())); give each gateway its own metrics file"
    )
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\n")
    // Another file in the same directory is independent.
    try MetricsFile(folder.path("other.prom"), isGroups: false).write("other\n")
    withExtendedLifetime(first) {}
    first = nil
    try second.write("second\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "second\n")
    #expect(first == nil)
  }

  @Test func `an exported file is private, and gets its name only when it is complete`() throws {
    let path = folder.path("export.csv")
    let output = try OutputFile(path)
    try output.write("a\n")
    #expect(try !names.contains("export.csv"))
    try output.finish()
    #expect(try mode(path) == 0o600 && names == ["export.csv"])
  }

  /// The last holder of the lock removes the file while another one waits for the lock.
  @Test func `a lock acquired after waiting is on the file of that name`() async throws {
    let path = folder.path("lock")
    let first = try FileLock(temporaryFile: path)
    let waiting = Task.detached { try FileLock(temporaryFile: path, timeout: 60_000_000) }
    try await Task.sleep(for: .milliseconds(50))
    first.release()
    let second = try await waiting.value
    #expect(FileLock.isTaken(path) == true)
    #expect(throws: FileLock.LockError.self) { try FileLock(temporaryFile: path) }
    second.release()
    #expect(try names.isEmpty)
  }

  @Test func `a temporary file of another process is left unchanged`() throws {
    let draft = try folder.file("draft", Array("another's".utf8))
    #expect(throws: AtomicFile.WriteError.self) {
      _ = try AtomicFile(folder.path("x"), temporaryPath: draft)
    }
    #expect(try String(contentsOfFile: draft, encoding: .utf8) == "another's")
  }
}
