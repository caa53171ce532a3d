import Foundation
import GRDB

/// Maintenance of a store's file: check, backup, restore, vacuum (returning unused space) and recovery.
package enum StoreUpkeep {
  /// The size of a store, for the user.
  package struct Size: Hashable, Sendable {
    package var bytes: Int64
    package var samples: Int
    package var deletions: Int
  }

  /// Checks a whole store. A gateway may write to it at the same time.
  /// - Returns: The problems that were found, the size, and, if the file is damaged, which parts of each
  ///   table can be read.
  /// - Throws: `StorageError` if the file is not a store. Damage is returned and not thrown.
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

  /// Starts the transaction with SQL, because a transaction of GRDB fails at its end if a damaged page was
  /// read.
  private static func inTransaction<Value>(_ database: Database, _ body: () throws -> Value) throws -> Value {
    try database.execute(sql: "BEGIN")
    defer { try? database.execute(sql: "ROLLBACK") }
    return try body()
  }

  /// Copies a store, while other programs may read and write it. The copy is a single consistent snapshot
  /// with mode 0600. It gets its final name only when it is complete and SQLite's check has found no problem.
  /// - Parameters:
  ///   - stores: The paths of known stores, which must not be replaced by the copy. They need not exist.
  ///   - owner: The owner of the copy, if root creates it for another user.
  /// - Throws: `StorageError`, for example `.damaged` if the store is damaged. After an error, there is no
  ///   copy.
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
        // If the owner cannot be changed, only root can read the copy, but it is still useful.
        try? owner?.give(temporary)
        try encryption?.writeKeys(ofCopyAt: copy, for: owner)
      }
    }
  }

  /// Throws if the destination of a copy is a store that a program uses.
  private static func refuseOtherStore(_ copy: String, _ stores: [String]) throws(StorageError) {
    let place = try? StoreFile.location(copy)
    let isKnown = stores.contains { FileIdentity.isSame($0, copy) || (try? StoreFile.location($0)) == place }
    // If there is a lock file of a gateway, a gateway has run on this store, so do not replace it.
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

  /// Throws if there is a file at the destination that is not an earlier copy of the same store. A store that
  /// was kept by a restore is never replaced.
  private static func refuseReplacing(_ copy: String, byCopyOf path: String) throws(StorageError) {
    var status = stat()
    // A destination that is not a regular file is rejected later with a more specific error.
    guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
      let own = try? identity(of: path)
    else { return }
    let isKept = (copy as NSString).lastPathComponent.contains(StoreReplacement.infix)
    guard !isKept, (try? identity(of: copy)) == own else { throw .isNoCopy(path: copy) }
  }

  private static func identity(of path: String) throws -> String? {
    try reading(path).read { try String.fetchOne($0, sql: "SELECT token FROM store_identity") }
  }

  /// Throws if the destination of a copy is the store itself or one of the files beside it, even if its path
  /// is written differently.
  /// - Throws: `StorageError.isTheStore`.
  package static func refuseWriting(_ copy: String, overStore path: String) throws(StorageError) {
    let files = ["", "-wal", "-shm", "-journal", "-gateway", KeyFile.suffix].map { path + $0 }
    guard !files.contains(where: { FileIdentity.isSame($0, copy) }) else { throw .isTheStore(path: copy) }
  }

  /// Replaces a store by a backup. No program may have the store open.
  /// - Returns: The new name of the old store; `nil` if there was none.
  /// - Throws: `StorageError`: `.inUse` if a program has the store open; `.damaged` if the backup is damaged;
  ///   `.newerSchema` if a newer version wrote the backup. After an error, the store is unchanged.
  package static func restore(_ path: String, from backup: String) throws -> String? {
    try StorageError.translating {
      let findings = try quickFindings(backup)
      guard findings.isEmpty else { throw StorageError.damaged(path: backup, findings[0]) }
      try reading(backup).read { try SampleDatabase.refuseNewerSchema($0, backup) }
      try StoreFile.makeDirectory(path.enclosingFolder, isOfFoldersOwner: true)
      let path = try StoreFile.location(path)
      let owner = FileOwnership(of: path) ?? FileOwnership(of: path.enclosingFolder)
      var kept: String?
      // If the store is encrypted but the backup is not, the backup is encrypted with the store's key.
      let ofBackup = try CopyEncryption(ofStoreAt: backup)
      let encryption = try ofBackup ?? CopyEncryption(ofStoreAt: path)
      try StoreFile.replacing(path) { temporary in
        try encryption?.prepare(temporary)
        try duplicate(backup, at: temporary)
      } prepare: { temporary in
        try owner?.give(temporary)
      } naming: { temporary in
        var keys: KeyReplacement?
        do {
          kept = try StoreReplacement(of: path).take(
            temporary,
            prepare: {
              keys = try KeyReplacement(ofStoreAt: path, keptAs: $0, by: encryption, for: owner)
            })
        } catch {
          keys?.undo()
          throw error
        }
      }
      return kept
    }
  }

  /// Shrinks the file: returns the space of deleted rows to the file system, and deletes unreferenced rows of
  /// the small tables.
  /// - Throws: `StorageError`: `.gatewayRuns` if a gateway is running, because it could not write in the
  ///   meantime; `.sqlite` if the disk has no space for the second copy that SQLite's `VACUUM` makes.
  package static func vacuum(_ path: String) throws -> (before: Int64, after: Int64) {
    try StorageError.translating {
      _ = try reading(path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
      let path = try StoreFile.location(path)
      let gateway = ProgramLock(ofGatewayOfDatabaseAt: path)
      try gateway.take { .gatewayRuns(process: $0) }
      defer { gateway.release() }
      let before = StoreFile.size(at: path)
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      // The rows to delete are unreferenced. Checking this would search all samples once per deleted row.
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

  /// Makes the next `VACUUM` change the page size to that of new stores. SQLite can do this only if the file
  /// is not in WAL mode, and leaving WAL mode requires that no other program has the file open. If one has,
  /// the page size stays.
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
  /// - Parameter isCut: Whether the file may be shorter than its header states. SQLite accepts such a file
  ///   only with `writable_schema`.
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
    return try StoreHeader.explainingErrors(path) {
      let queue = try DatabaseQueue(path: StoreFile.addressForReading(path), configuration: configuration)
      let found = try queue.read { try Int32.fetchOne($0, sql: "PRAGMA application_id") ?? 0 }
      guard found == SampleDatabase.applicationID else {
        throw StoreHeader.failure(path, found: found)
      }
      return queue
    }
  }

  /// Copies all pages in one step, and thus from one snapshot. In several steps, SQLite would start over
  /// after each commit of a gateway.
  static func duplicate(_ path: String, at copy: String) throws {
    let source = try reading(path)
    let target = try DatabaseQueue(path: copy)
    try source.backup(to: target, pagesPerStep: -1)
    // Leave WAL mode, so that the copy is a single file without a log.
    try target.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    try target.close()
  }

  /// Runs SQLite's `quick_check`, which does not check the indexes but is much faster than `integrity_check`.
  static func quickFindings(_ path: String) throws -> [String] {
    do {
      return try reading(path).read { database in
        try SQLiteCheck.problems("quick_check", most: 1, in: database)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      return [error.message ?? "SQLITE_CORRUPT"]
    }
  }
}
