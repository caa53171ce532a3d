import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests which files a copy of a store may replace, and which owner a copy has.
@Suite struct StoreCopyTests {
  private func withStore(
    _ body: (_ store: SampleDatabase, _ path: String, _ directory: String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let store = try SampleDatabase.open(at: directory + "/s.sqlite")
      try await store.save(mixedRecords(20))
      try await body(store, directory + "/s.sqlite", directory)
    }
  }

  private func kind(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private func owner(_ path: String) -> [UInt32] {
    var status = stat()
    return stat(path, &status) == 0 ? [status.st_uid, status.st_gid] : []
  }

  /// Creates one special file of each kind, named by its kind.
  private func makeOthers(in directory: String) throws -> [String] {
    let names = ["pipe", "socket", "folder", "link", "away"].map { directory + "/" + $0 }
    #expect(mkfifo(names[0], 0o600) == 0)
    #expect(mknod(names[1], S_IFSOCK | 0o600, 0) == 0)
    #expect(mkdir(names[2], 0o700) == 0)
    _ = FileManager.default.createFile(atPath: directory + "/file", contents: Data("kept".utf8))
    #expect(symlink(directory + "/file", names[3]) == 0)
    #expect(symlink(directory + "/nowhere", names[4]) == 0)
    return names
  }

  @Test func `a copy does not replace anything but a regular file`() async throws {
    try await withStore { store, path, directory in
      try store.close()
      for name in try makeOthers(in: directory) {
        let before = try #require(kind(name))
        for attempt in [
          { try StoreUpkeep.backUp(path, to: name) },
          { _ = try StoreUpkeep.recover(path, to: name, .ofTests) },
          { _ = try StoreFile.replacing(name) { _ in } },
        ] {
          #expect {
            try attempt()
          } throws: { error in
            switch error as? StorageError {
            case .notAFile, .isLink: true
            default: false
            }
          }
        }
        #expect(kind(name) == before, "\(name)")
      }
      #expect(try String(contentsOfFile: directory + "/file", encoding: .utf8) == "kept")
      let left = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(!left.contains { $0.hasSuffix(".part") || $0.hasSuffix(".rescue") })
    }
  }

  /// A pipe must not be opened, because that would block until its other end is opened.
  @Test func `a file that is not a store is neither restored nor replaced by a backup`() async throws {
    try await withStore { store, path, directory in
      try store.close()
      let names = try makeOthers(in: directory).prefix(3)
      for name in names {
        let failure = StorageError.notAFile(path: name, isDirectory: name.hasSuffix("folder"))
        #expect(throws: failure) { try StoreUpkeep.restore(path, from: name) }
        #expect(throws: failure) { try StoreUpkeep.restore(name, from: path) }
        #expect(throws: failure) { try StoreUpkeep.refuseDamaged(name) }
        #expect(throws: failure) { try StoreUpkeep.recover(name, to: directory + "/new", .ofTests) }
      }
      #expect(try StoreUpkeep.check(at: path).findings == [])
    }
  }

  @Test func `a copy does not replace another store`() async throws {
    try await withStore { store, path, directory in
      let other = try SampleDatabase.open(at: directory + "/other.sqlite")
      try await other.save([record(1, at: 1)])
      try other.close()
      #expect(throws: StorageError.inUse(path: directory + "/other.sqlite")) {
        // Open the file in another process, because a process does not see its own locks.
        try withHolder(of: directory + "/other.sqlite") {
          try StoreUpkeep.backUp(path, to: directory + "/other.sqlite")
        }
      }
      // Known stores are protected by their paths, even if the files do not exist.
      for name in ["known.sqlite", "s.sqlite.copy"] {
        #expect(throws: StorageError.isAnotherStore(path: directory + "/./" + name)) {
          try StoreUpkeep.backUp(
            path, to: directory + "/./" + name,
            sparing: [directory + "/known.sqlite", directory + "/s.sqlite.copy"])
        }
      }
      // The lock file shows that a gateway has used this store.
      for name in ["old", "old-gateway"] {
        _ = FileManager.default.createFile(atPath: directory + "/" + name, contents: Data())
      }
      #expect(throws: StorageError.isAnotherStore(path: directory + "/old")) {
        try StoreUpkeep.backUp(path, to: directory + "/old")
      }
      try StoreUpkeep.backUp(path, to: directory + "/copy")
      try StoreUpkeep.backUp(path, to: directory + "/copy")
      #expect(try StoreUpkeep.check(at: directory + "/copy").size?.samples == 20)
    }
  }

  @Test func `a copy replaces only an earlier copy of the same store`() async throws {
    try await withStore { store, path, directory in
      let other = try SampleDatabase.open(at: directory + "/other.sqlite")
      try await other.save([record(1, at: 1)])
      try other.close()
      try Data("notes".utf8).write(to: URL(filePath: directory + "/notes.txt"))
      let kept = directory + "/s.sqlite.before-restore"
      try StoreUpkeep.backUp(path, to: kept)
      for file in [directory + "/other.sqlite", directory + "/notes.txt", kept] {
        let before = try Data(contentsOf: URL(filePath: file))
        #expect(throws: StorageError.isNoCopy(path: file)) { try StoreUpkeep.backUp(path, to: file) }
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
      }
      // A backup may replace an empty file, as created by mktemp.
      _ = FileManager.default.createFile(atPath: directory + "/empty", contents: Data())
      try StoreUpkeep.backUp(path, to: directory + "/empty")
      #expect(try StoreUpkeep.check(at: directory + "/empty").size?.samples == 20)
    }
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: only an administrator can mount a disk"))
  func `a store on a read-only disk can be checked, copied and restored`() async throws {
    try await withStore { store, path, directory in
      try StoreUpkeep.backUp(path, to: directory + "/copy")
      let disk = try SmallDisk(size: "4m")
      let there = disk.path + "/s.sqlite"
      // Create a store as a gateway leaves it when it ends: in WAL mode, without a log.
      let onDisk = try SampleDatabase.open(at: there)
      try await onDisk.save([record(1, at: 1)])
      try onDisk.close()
      #expect(!FileManager.default.fileExists(atPath: there + "-wal"))
      try disk.makeReadOnly()
      #expect(try StoreUpkeep.check(at: there).size?.samples == 1)
      try StoreUpkeep.backUp(there, to: directory + "/saved")
      #expect(try StoreUpkeep.check(at: directory + "/saved").size?.samples == 1)
      #expect(try StoreUpkeep.restore(directory + "/new.sqlite", from: there) == nil)
      #expect(try StoreUpkeep.check(at: directory + "/new.sqlite").size?.samples == 1)
      #expect(throws: StorageError.readOnlyFileSystem(path: there)) { try SampleDatabase.open(at: there) }
    }
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: only an administrator can mount a disk"))
  func `a full disk is reported for the target of the recovery`() async throws {
    try await withStore { store, path, directory in
      try store.close()
      let disk = try SmallDisk(size: "64k")
      try disk.fill()
      let target = disk.path + "/saved"
      do {
        _ = try StoreUpkeep.recover(path, to: target, .ofTests)
        Issue.record("it has room")
      } catch StorageError.file(_, let place, ENOSPC) {
        #expect(place.hasPrefix(disk.path))
      }
    }
  }

  /// Keeps a store open in another process while `body` runs.
  private func withHolder(of path: String, _ body: () throws -> Void) throws {
    let holder = Process()
    holder.executableURL = URL(filePath: "/usr/bin/env")
    holder.arguments = [
      "python3", "-c",
      "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT count(*) FROM sample').fetchall(); print('open', flush=True); sys.stdin.read()",
      path,
    ]
    let (input, output) = (Pipe(), Pipe())
    holder.standardInput = input
    holder.standardOutput = output
    try holder.run()
    defer {
      try? input.fileHandleForWriting.close()
      holder.waitUntilExit()
    }
    #expect(try output.fileHandleForReading.read(upToCount: 4)?.count == 4)
    try body()
  }

  @Test(arguments: ["-wal", "-journal"])
  func `no copy is made beside a log that SQLite would apply to it`(suffix: String) async throws {
    try await withStore { store, path, directory in
      try store.close()
      let (copy, log) = (directory + "/copy", directory + "/copy" + suffix)
      _ = FileManager.default.createFile(atPath: log, contents: Data([1]))
      let failure = StorageError.logBeside(path: copy, log: log)
      #expect(throws: failure) { try StoreUpkeep.backUp(path, to: copy) }
      #expect(throws: failure) { try StoreUpkeep.recover(path, to: copy, .ofTests) }
      #expect(kind(copy) == nil && kind(log) == S_IFREG)
    }
  }

  // MARK: - Restore

  @Test func `a backup of a newer version is rejected before the store is replaced`() async throws {
    try await withStore { store, path, directory in
      let backup = directory + "/backup"
      try StoreUpkeep.backUp(path, to: backup)
      try await DatabaseQueue(path: backup).write {
        try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999')")
      }
      try store.close()
      let before = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
      let failure = StorageError.newerSchema(path: backup, found: "9999")
      #expect(throws: failure) { try StoreUpkeep.restore(path, from: backup) }
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == before)
      #expect(kind(path + ".before-restore") == nil)
      // A gateway does not start on a store of a newer version either.
      #expect(throws: failure) { try StoreUpkeep.refuseDamaged(backup) }
      #expect(failure.lasts)
    }
  }

  @Test func `a restore creates a missing directory, which only its owner can read`() async throws {
    try await withStore { _, path, directory in
      try StoreUpkeep.backUp(path, to: directory + "/backup")
      let new = directory + "/new/home/s.sqlite"
      #expect(try StoreUpkeep.restore(new, from: directory + "/backup") == nil)
      #expect(try StoreUpkeep.check(at: new).size?.samples == 20)
      for folder in ["/new", "/new/home"] {
        let mode = try FileManager.default.attributesOfItem(atPath: directory + folder)[.posixPermissions]
        #expect(mode as? Int == 0o700)
      }
    }
  }

  @Test func `a file that is not a database is reported with its path`() async throws {
    try await withStore { _, path, directory in
      let file = directory + "/text"
      try Data("no database, however long it may be".utf8).write(to: URL(filePath: file))
      let failure = StorageError.notASampleDatabase(path: file, found: 0)
      #expect(throws: failure) { try StoreUpkeep.restore(path, from: file) }
      #expect(throws: failure) { try StoreUpkeep.refuseDamaged(file) }
    }
  }

  // MARK: - Owner

  private static let isRoot = geteuid() == 0

  @Test(.enabled(if: isRoot, "only root makes files for others"))
  func `a restore by root keeps the old store's owner, and a copy gets the requested one`() async throws {
    try await withStore { store, path, directory in
      try store.close()
      let backup = directory + "/backup"
      try StoreUpkeep.backUp(path, to: backup, for: FileOwnership(user: 65_534, group: 65_533))
      #expect(owner(backup) == [65_534, 65_533])
      try StoreUpkeep.backUp(path, to: directory + "/own")
      #expect(owner(directory + "/own") == [geteuid(), getegid()])
      _ = try StoreUpkeep.recover(
        path, to: directory + "/saved", for: FileOwnership(user: 65_534, group: 65_533), .ofTests)
      #expect(owner(directory + "/saved") == [65_534, 65_533])
      chown(path, 65_532, 65_531)
      _ = try StoreUpkeep.restore(path, from: backup)
      #expect(owner(path) == [65_532, 65_531])
      // If there is no old store, the copy gets the owner of the directory.
      mkdir(directory + "/home", 0o700)
      chown(directory + "/home", 65_530, 65_529)
      _ = try StoreUpkeep.restore(directory + "/home/data/s", from: backup)
      for name in ["/home/data", "/home/data/s"] { #expect(owner(directory + name) == [65_530, 65_529]) }
    }
  }
}
