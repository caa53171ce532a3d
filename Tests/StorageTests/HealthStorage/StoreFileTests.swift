import Foundation
import Testing

@testable import HealthStorage

@Suite struct StoreFileTests {
  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// Runs in a process of its own, because the umask applies to all threads and would affect other tests.
  @Test func `directories and files are accessible only by their owner`() async throws {
    await #expect(processExitsWith: .success) {
      // With the most permissive umask, the modes must still be restrictive.
      umask(0)
      try await withTemporaryDirectory { directory in
        let path = directory + "/a/b/health.sqlite"
        let database = try SampleDatabase.open(at: path)
        _ = try await database.save([record(1, at: 1)])
        #expect(StoreFileTests.mode(directory + "/a") == 0o700)
        #expect(StoreFileTests.mode(directory + "/a/b") == 0o700)
        for suffix in ["", "-wal", "-shm"] {
          #expect(StoreFileTests.mode(path + suffix) == 0o600, "\(suffix)")
        }
      }
    }
  }

  @Test func `existing files keep their mode`() async throws {
    try await withTemporaryDirectory { directory in
      chmod(directory, 0o750)
      _ = try SampleDatabase.open(at: directory + "/health.sqlite")
      #expect(Self.mode(directory) == 0o750)
    }
  }

  @Test func `an invalid directory is reported with the call and the reason`() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/file"
      #expect(FileManager.default.createFile(atPath: file, contents: Data()))
      do {
        _ = try SampleDatabase.open(at: file + "/health.sqlite")
        Issue.record("opened inside a file")
      } catch StorageError.file(_, _, let code) {
        #expect(code == ENOTDIR)
      }
    }
  }

  @Test(arguments: ["", "/"])
  func `a directory is reported as one and not changed`(end: String) async throws {
    try await withTemporaryDirectory { directory in
      #expect(throws: StorageError.notAFile(path: directory + end, isDirectory: true)) {
        try SampleDatabase.open(at: directory + end)
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(left.isEmpty)
      let text = StorageError.notAFile(path: "/a/b", isDirectory: true).description
      #expect(text.contains("/a/b is a directory") && text.contains("/a/b/health.sqlite"))
    }
  }

  @Test func `a pipe is rejected without blocking`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/pipe"
      #expect(mkfifo(path, 0o600) == 0)
      #expect(throws: StorageError.notAFile(path: path, isDirectory: false)) {
        try SampleDatabase.open(at: path)
      }
    }
  }
}
