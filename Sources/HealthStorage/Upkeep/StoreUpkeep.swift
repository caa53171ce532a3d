import Foundation
import GRDB

/// Maintenance of a store's file: check, backup, restore, vacuum and recovery.
package enum StoreUpkeep {
  /// The size of a store, for the user.
  package struct Size: Hashable, Sendable {
    package var bytes: Int64
    package var samples: Int
    package var deletions: Int
  }

  /// Checks an entire store. A gateway may write to it at the same time.
  /// - Returns: the findings, the size, and, if the file is damaged, which parts of each table are readable.
  /// - Throws: `StorageError` for a file that is not a store. Damage is a finding, not an error.
  package static func check(
    at path: String
  ) throws -> (findings: [StoreFinding], size: Size?, tables: [TableSurvey]) {
    try StorageError.translating {
      do {
        return try reading(path).unsafeRead { database in
          try inTransaction(database) {
            let size = try? Size(
              bytes: StoreFile.size(at: path),
              samples: sampleCount(database),
              deletions: Int.fetchOne(database, sql: "SELECT count(*) FROM deleted_object") ?? 0)
            let findings = try StoreCheck(database).findings
            let isDamaged = findings.contains { $0.kind == .file }
            return (findings, size, isDamaged ? (try? TableSurvey.all(in: database)) ?? [] : [])
          }
        }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        if let damage = StoreHeader.damage(path) { throw damage }
        let finding = StoreFinding(kind: .file, text: error.message ?? "SQLITE_CORRUPT", count: 1)
        let tables = try? reading(path, isCut: true).unsafeRead { database in
          try inTransaction(database) { try TableSurvey.all(in: database) }
        }
        return ([finding], nil, tables ?? [])
      }
    }
  }

  /// Uses SQL for the transaction: GRDB's would end with an error after reading a damaged page.
  private static func inTransaction<Value>(_ database: Database, _ body: () throws -> Value) throws -> Value {
    try database.execute(sql: "BEGIN")
    defer { try? database.execute(sql: "ROLLBACK") }
    return try body()
  }

  /// Copies one snapshot of a store, while other programs may read and write it. The copy is private (0600),
  /// and gets its final name only when it is complete and has passed SQLite's check.
  /// - Parameters:
  ///   - stores: paths of known stores, existing or not, that must not be replaced.
  ///   - owner: the owner of the copy, if root creates it for another user.
  /// - Throws: `StorageError`: `.damaged` if the store is damaged; no copy is made then.
  package static func backUp(
    _ path: String, to copy: String, sparing stores: [String] = [], for owner: FileOwnership? = nil
  ) throws {
    try StorageError.translating {
      try refuseWriting(copy, overStore: path)
      try refuseOtherStore(copy, stores)
      try refuseReplacing(copy, byCopyOf: path)
      let encryption = try CopyEncryption(ofStoreAt: path)
      try StoreFile.replacing(copy) { temporary in
        do {
          try encryption?.prepare(temporary)
          try duplicate(path, at: temporary)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
          throw StorageError.damaged(path: path, error.message ?? "SQLITE_CORRUPT")
        }
        let findings = try quickFindings(temporary)
        guard findings.isEmpty else { throw StorageError.damaged(path: path, findings[0]) }
      } prepare: { temporary in
        // If the owner cannot be changed, the copy stays private to root, but is still useful.
        try? owner?.give(temporary)
        try encryption?.writeKeys(ofCopyAt: copy, for: owner)
      }
    }
  }

  /// Fails if the target is used as a store by any program.
  private static func refuseOtherStore(_ copy: String, _ stores: [String]) throws(StorageError) {
    let place = try? StoreFile.location(copy)
    let isKnown = stores.contains { FileIdentity.isSame($0, copy) || (try? StoreFile.location($0)) == place }
    // The lock file shows that a gateway has run on it.
    guard place == nil || !isKnown, access(copy + "-gateway", F_OK) != 0 else {
      throw .isAnotherStore(path: copy)
    }
    var status = stat()
    if lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(copy, R_OK) == 0,
      StoreUse.isOpen(copy)
    {
      throw .inUse(path: copy)
    }
    try StoreFile.refuseLogs(beside: copy)
  }

  /// Fails unless the target is unused or an earlier copy of the same store. A store that a restore has set
  /// aside is never replaced.
  private static func refuseReplacing(_ copy: String, byCopyOf path: String) throws(StorageError) {
    var status = stat()
    // Targets that are not regular files are rejected later, with a specific error.
    guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
      let own = try? identity(of: path)
    else { return }
    let isKept = (copy as NSString).lastPathComponent.contains(StoreReplacement.infix)
    guard !isKept, (try? identity(of: copy)) == own else { throw .isNoCopy(path: copy) }
  }

  private static func identity(of path: String) throws -> String? {
    try reading(path).read { try String.fetchOne($0, sql: "SELECT token FROM store_identity") }
  }

  /// Fails if the target of a copy is the store itself or one of its companion files, under any name.
  /// - Throws: `StorageError.isTheStore`.
  package static func refuseWriting(_ copy: String, overStore path: String) throws(StorageError) {
    let files = ["", "-wal", "-shm", "-journal", "-gateway", KeyFile.suffix].map { path + $0 }
    guard !files.contains(where: { FileIdentity.isSame($0, copy) }) else { throw .isTheStore(path: copy) }
  }

  /// Replaces a store with a backup. No program may have the store open.
  /// - Returns: the name under which the old store is kept; nil if there was none.
  /// - Throws: `StorageError`, with the store unchanged: `.inUse` if a program has it open; `.damaged` if
  ///   the backup is damaged; `.newerSchema` if the backup was written by a newer version.
  package static func restore(_ path: String, from backup: String) throws -> String? {
    try StorageError.translating {
      let findings = try quickFindings(backup)
      guard findings.isEmpty else { throw StorageError.damaged(path: backup, findings[0]) }
      try reading(backup).read { try SampleDatabase.refuseNewerSchema($0, backup) }
      try StoreFile.makeDirectory(path.enclosingFolder, isOfFoldersOwner: true)
      let path = try StoreFile.location(path)
      let owner = FileOwnership(of: path) ?? FileOwnership(of: path.enclosingFolder)
      var kept: String?
      // A plain backup of an encrypted store is encrypted with the store's key.
      let ofBackup = try CopyEncryption(ofStoreAt: backup)
      let encryption = try ofBackup ?? CopyEncryption(ofStoreAt: path)
      try StoreFile.replacing(path) { temporary in
        try encryption?.prepare(temporary)
        try duplicate(backup, at: temporary)
      } prepare: { temporary in
        try owner?.give(temporary)
      } naming: { temporary in
        kept = try StoreReplacement(of: path).take(temporary)
      }
      if let kept { try KeyFile.move(ofStoreAt: path, to: kept) }
      try encryption?.writeKeys(ofCopyAt: path, for: owner)
      return kept
    }
  }

  /// Returns the space of deleted rows to the file system, and deletes rows that nothing refers to.
  /// - Throws: `StorageError`: `.gatewayRuns`, because a gateway could not write during the vacuum;
  ///   `.sqlite` if the disk has no space for the second copy that `VACUUM` makes.
  package static func vacuum(_ path: String) throws -> (before: Int64, after: Int64) {
    try StorageError.translating {
      _ = try reading(path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
      let path = try StoreFile.location(path)
      let gateway = ProgramLock(ofGatewayOfDatabaseAt: path)
      try gateway.take { .gatewayRuns(process: $0) }
      defer { gateway.giveBack() }
      let before = StoreFile.size(at: path)
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      // The dropped rows are unreferenced; verifying the foreign keys would search all samples once per row.
      configuration.foreignKeysEnabled = false
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.writeWithoutTransaction { database in
        try UnreferencedRows.drop(from: database)
        try changePageSize(database)
        defer { try? database.execute(sql: "PRAGMA journal_mode = WAL") }
        try database.execute(sql: "VACUUM")
      }
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        try database.execute(sql: "PRAGMA optimize")
      }
      return (before, StoreFile.size(at: path))
    }
  }

  /// Sets the page size that new stores have, for the following `VACUUM`. SQLite changes it only outside of
  /// WAL mode, which requires that no other program has the store open. If one has, the page size stays.
  private static func changePageSize(_ database: Database) throws {
    guard try Int.fetchOne(database, sql: "PRAGMA page_size") != SampleDatabase.pageSize else { return }
    do {
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      return
    }
    try database.execute(sql: "PRAGMA page_size = \(SampleDatabase.pageSize)")
  }

  // MARK: - Parts

  private static func sampleCount(_ database: Database) throws -> Int {
    let rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM sample") ?? 0
    var tables = try database.tableExists("block") ? ["block"] : []
    if try EarlierBatches(in: database) != nil { tables.append("batch") }
    return try tables.reduce(rows) {
      $0 + (try Int.fetchOne(database, sql: "SELECT sum(count) FROM \($1)") ?? 0)
    }
  }

  /// Opens a read-only connection.
  /// - Parameter isCut: opens a file that is shorter than its header says. SQLite allows that only with
  ///   `writable_schema`.
  static func reading(_ path: String, isCut: Bool = false) throws -> DatabaseQueue {
    guard access(path, F_OK) == 0 else {
      throw StorageError.file(operation: "open", path: path, errno: ENOENT)
    }
    try StoreFile.requireFile(at: path)
    EncryptedFiles.register()
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      if isCut { try database.execute(sql: "PRAGMA writable_schema = ON") }
      try PackedSampleModule.register(in: database)
    }
    return try StoreHeader.telling(path) {
      let queue = try DatabaseQueue(path: StoreFile.addressForReading(path), configuration: configuration)
      let found = try queue.read { try Int32.fetchOne($0, sql: "PRAGMA application_id") ?? 0 }
      guard found == SampleDatabase.applicationID else {
        throw StoreHeader.failure(path, found: found)
      }
      return queue
    }
  }

  /// Copies all pages in one step, from one snapshot. A copy of some pages at a time would start over after
  /// each commit of a gateway.
  static func duplicate(_ path: String, at copy: String) throws {
    let source = try reading(path)
    let target = try DatabaseQueue(path: copy)
    try source.backup(to: target, pagesPerStep: -1)
    // Makes the copy a single file, without a log.
    try target.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    try target.close()
  }

  /// Runs SQLite's `quick_check`, which skips the indexes and is much faster than `integrity_check`.
  static func quickFindings(_ path: String) throws -> [String] {
    do {
      return try reading(path).read { database in
        try SQLiteCheck.flaws("quick_check", most: 1, in: database)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      return [error.message ?? "SQLITE_CORRUPT"]
    }
  }
}
