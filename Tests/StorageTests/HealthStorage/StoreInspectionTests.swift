import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests the state of a store as another program sees it.
@Suite struct StoreInspectionTests {
  private func mode(_ path: String, _ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test func `a directory that only its owner can enter protects files at any depth in it`() throws {
    let folder = try TemporaryFolder()
    let inner = folder.path("inner")
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
    let path = try folder.file("inner/health.sqlite", [])
    try mode(folder.url.path, 0o755)
    try mode(inner, 0o755)
    #expect(!StoreInspection.look(at: path).isShielded)
    try mode(folder.url.path, 0o700)
    #expect(StoreInspection.look(at: path).isShielded)
    try mode(folder.url.path, 0o711)
    #expect(!StoreInspection.look(at: path).isShielded)
    try mode(inner, 0o700)
    #expect(StoreInspection.look(at: path).isShielded)
    // The store is also shielded if its folder is reached through a symbolic link in another directory.
    let link = folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: inner)
    #expect(StoreInspection.look(at: link + "/health.sqlite").isShielded)
  }

  @Test func `programs that have the store open are found in the kernel's list of locks`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("health.sqlite", [0])
    var status = stat()
    #expect(stat(path, &status) == 0)
    let file = StoreUse.kernelName(status)
    let other = file.replacing(":\(status.st_ino)", with: ":\(status.st_ino + 1)")
    let shared = "1073741826 1073742335"
    let locks = """
      1: POSIX  ADVISORY  READ  77 \(file) \(shared)
      2: POSIX  ADVISORY  WRITE 55 \(file) 1073741826 1073742335
      3: POSIX  ADVISORY  READ  78 \(other) \(shared)
      4: POSIX  ADVISORY  READ  79 \(file) 120 120
      5: FLOCK  ADVISORY  WRITE 80 \(file) 0 EOF
      6: POSIX  ADVISORY  READ  \(getpid()) \(file) \(shared)
      7: POSIX  ADVISORY  READ  -1 \(file) \(shared)
      7: -> POSIX  ADVISORY  READ  77 \(file) \(shared)
      nonsense
      """
    let list = try folder.file("locks", Array(locks.utf8))
    #expect(StoreUse.holders(path, locks: list) == [55, 77])
    #expect(StoreUse.holders(path, locks: folder.path("none")) == [])
    #expect(StoreUse.holders(folder.path("none"), locks: list) == [])
    #expect(StoreInspection.look(at: path).isOpenElsewhere == false)
    #expect(StoreUse.isSeenOpenElsewhere(folder.path("none")) == nil)
  }
  /// The kernel returns its list a page at a time. It has a part for each processor, with the locks that were
  /// taken on it, the last one first.
  @Test func `a program is found in a list of locks that is longer than a page`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("health.sqlite", [0])
    let holder = Process()
    holder.executableURL = URL(filePath: "/usr/bin/env")
    holder.arguments = [
      "python3", "-c",
      """
      import fcntl, os, sys
      file = open(sys.argv[1], "rb")
      fcntl.lockf(file, fcntl.LOCK_SH, 510, 0x40000002)
      others = open(sys.argv[2], "wb")
      for processor in os.sched_getaffinity(0):
        os.sched_setaffinity(0, [processor])
        for number in range(150):
          fcntl.lockf(others, fcntl.LOCK_EX, 1, processor * 1000 + number * 2)
      print("ready", flush=True)
      sys.stdin.read()
      """, path, folder.path("others"),
    ]
    let (input, output) = (Pipe(), Pipe())
    (holder.standardInput, holder.standardOutput) = (input, output)
    try holder.run()
    defer {
      try? input.fileHandleForWriting.close()
      holder.waitUntilExit()
    }
    #expect(output.fileHandleForReading.availableData.starts(with: Data("ready".utf8)))
    #expect(StoreUse.holders(path) == [holder.processIdentifier])
  }
}
