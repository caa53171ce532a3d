import Foundation
import GRDB

/// What is done to a store's file as a whole: looked through, copied, put back, made small, and saved from
/// damage.
package enum StoreUpkeep {
  /// How many rows a table has, for a person.
  package struct Size: Hashable, Sendable {
    package var bytes: Int64
    package var samples: Int
    package var deletions: Int
  }

  /// Looks through all of a store. A gateway may write to it meanwhile.
  /// - Returns: also what can be read of each table, where the file is damaged.
  /// - Throws: `StorageFailure` for a file that is no store; damage is no failure, but a finding.
  package static func check(
    at path: String
  ) throws -> (findings: [StoreFinding], size: Size?, tables: [TableSurvey]) {
    try StorageFailure.translating {
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

  /// A transaction of our own: GRDB's would end with what a damaged page has made of it.
  private static func inTransaction<Value>(_ database: Database, _ body: () throws -> Value) throws -> Value {
    try database.execute(sql: "BEGIN")
    defer { try? database.execute(sql: "ROLLBACK") }
    return try body()
  }

  /// Copies a store as it is at one moment, while programs read and write it. The copy is private, and has
  /// its name only when it is whole and sound.
  /// - Parameters:
  ///   - stores: places of stores, be they there or not, which no copy takes.
  ///   - owner: whose the copy is, where root makes it for another.
  /// - Throws: `StorageFailure`; `.damaged` where the store is, and then there is no copy.
  package static func backUp(
    _ path: String, to copy: String, sparing stores: [String] = [], for owner: FileOwnership? = nil
  ) throws {
    try StorageFailure.translating {
      try refuseWriting(copy, overStore: path)
      try refuseOtherStore(copy, stores)
      try refuseReplacing(copy, byCopyOf: path)
      try StoreFile.replacing(copy) { temporary in
        do {
          try duplicate(path, at: temporary)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
          throw StorageFailure.damaged(path: path, error.message ?? "SQLITE_CORRUPT")
        }
        let findings = try quickFindings(temporary)
        guard findings.isEmpty else { throw StorageFailure.damaged(path: path, findings[0]) }
      } prepare: { temporary in
        // Where it cannot be given away it is private, and a copy all the same.
        try? owner?.give(temporary)
      }
    }
  }

  /// What is replaced is a copy, and nothing that anybody uses as a store.
  private static func refuseOtherStore(_ copy: String, _ stores: [String]) throws(StorageFailure) {
    let place = try? StoreFile.location(copy)
    let isKnown = stores.contains { FileIdentity.isSame($0, copy) || (try? StoreFile.location($0)) == place }
    // A gateway has run on it.
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

  /// What is replaced is an earlier copy of the same store, and no other file; nor what was kept when a
  /// backup was put in the store's place.
  private static func refuseReplacing(_ copy: String, byCopyOf path: String) throws(StorageFailure) {
    var status = stat()
    // Of what is no file it is said what it is, later.
    guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
      let own = try? identity(of: path)
    else { return }
    let isKept = (copy as NSString).lastPathComponent.contains(StoreReplacement.infix)
    guard !isKept, (try? identity(of: copy)) == own else { throw .isNoCopy(path: copy) }
  }

  private static func identity(of path: String) throws -> String? {
    try reading(path).read { try String.fetchOne($0, sql: "SELECT token FROM store_identity") }
  }

  /// Whoever writes a copy of a store asks first: the store is not its own copy, whatever name leads to it.
  /// - Throws: `StorageFailure.isTheStore`.
  package static func refuseWriting(_ copy: String, overStore path: String) throws(StorageFailure) {
    let files = ["", "-wal", "-shm", "-journal", "-gateway"].map { path + $0 }
    guard !files.contains(where: { FileIdentity.isSame($0, copy) }) else { throw .isTheStore(path: copy) }
  }

  /// Puts a backup in the place of a store that nobody uses.
  /// - Returns: the name under which the old store is kept; nil if there was none.
  /// - Throws: `StorageFailure`, and then the store is as it was: `.inUse` where a program has it open;
  ///   `.damaged` where the backup is; `.newerSchema` where this version could not open it.
  package static func restore(_ path: String, from backup: String) throws -> String? {
    try StorageFailure.translating {
      let findings = try quickFindings(backup)
      guard findings.isEmpty else { throw StorageFailure.damaged(path: backup, findings[0]) }
      try reading(backup).read { try SampleDatabase.refuseNewerSchema($0, backup) }
      try StoreFile.makeDirectory(path.enclosingFolder, isOfFoldersOwner: true)
      let path = try StoreFile.location(path)
      let owner = FileOwnership(of: path) ?? FileOwnership(of: path.enclosingFolder)
      var kept: String?
      try StoreFile.replacing(path) { temporary in
        try duplicate(backup, at: temporary)
      } prepare: { temporary in
        try owner?.give(temporary)
      } naming: { temporary in
        kept = try StoreReplacement(of: path).take(temporary)
      }
      return kept
    }
  }

  /// Gives the room of what was deleted back to the disk, and with it what nothing refers to any more.
  /// - Throws: `StorageFailure`: `.gatewayRuns`, for a gateway could not store meanwhile; `.sqlite` where the
  ///   disk has no room for the second copy that this takes.
  package static func vacuum(_ path: String) throws -> (before: Int64, after: Int64) {
    try StorageFailure.translating {
      _ = try reading(path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
      let path = try StoreFile.location(path)
      let gateway = ProgramLock(ofGatewayOfDatabaseAt: path)
      try gateway.take { .gatewayRuns(process: $0) }
      defer { gateway.giveBack() }
      let before = StoreFile.size(at: path)
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      // Nothing refers to what is dropped, and to see that for each row would take a look at all samples.
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

  /// Prepares the page size that new stores have. `VACUUM` changes it only outside of WAL mode, for which no other
  /// program may have the store open; if one has, the page size stays.
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
    return try ["block", "batch"].filter { try database.tableExists($0) }.reduce(rows) {
      $0 + (try Int.fetchOne(database, sql: "SELECT sum(count) FROM \($1)") ?? 0)
    }
  }

  /// A connection that writes nothing.
  /// - Parameter isCut: SQLite opens no file that is shorter than its header says, but for who means to mend
  ///   it.
  static func reading(_ path: String, isCut: Bool = false) throws -> DatabaseQueue {
    guard access(path, F_OK) == 0 else {
      throw StorageFailure.file(operation: "open", path: path, errno: ENOENT)
    }
    try StoreFile.requireFile(at: path)
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

  /// In one step, which sees one moment: copied page by page it would begin anew with each commit of a
  /// gateway.
  private static func duplicate(_ path: String, at copy: String) throws {
    let source = try reading(path)
    let target = try DatabaseQueue(path: copy)
    try source.backup(to: target, pagesPerStep: -1)
    // A file by itself, without a log beside it.
    try target.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    try target.close()
  }

  /// SQLite's check without that of indexes, which takes far longer.
  private static func quickFindings(_ path: String) throws -> [String] {
    do {
      return try reading(path).read { database in
        try SQLiteCheck.flaws("quick_check", most: 1, in: database)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      return [error.message ?? "SQLITE_CORRUPT"]
    }
  }
}
