import Foundation
import GRDB

extension StoreUpkeep {
  /// The result of recovering a damaged store.
  package struct Recovered: Hashable, Sendable {
    /// The number of rows that were read and kept, by table.
    package var kept: [String: Int] = [:]
    /// The number of rows that were read but deleted, because they are invalid or refer to lost rows, by
    /// table.
    package var dropped: [String: Int] = [:]
    /// Tables that could not be read completely.
    package var damaged: Set<String> = []
    /// Descriptions of lost compressed segments for the user: type, hour and reason.
    package var lostBlocks: [String] = []
    /// The number of samples that lost some information, such as their device.
    package var losses: [RecoveryLoss: Int] = [:]
  }

  /// Copies all readable rows of a damaged store into a new file. The damaged store is not changed.
  ///
  /// Hourly summaries are computed again when needed. The new store has a new ID, so that programs and sync
  /// read all its samples again.
  /// - Parameter owner: The owner of the new file, if root creates it for another user.
  /// - Throws: `StorageError`: `.notASampleDatabase` or `.unrecognisable` if nothing can be recovered.
  package static func recover(
    _ path: String, to target: String, for owner: FileOwnership? = nil, _ interpretation: Interpretation
  ) throws -> Recovered {
    try StorageError.translating {
      guard access(path, F_OK) == 0 else {
        throw StorageError.file(operation: "open", path: path, errno: ENOENT)
      }
      try StoreFile.requireFile(at: path)
      try StoreFile.refuseLogs(beside: target)
      var recovered = Recovered()
      let encryption = try CopyEncryption(ofStoreAt: path)
      try StoreFile.replacing(target) { temporary in
        try encryption?.prepare(temporary)
        let folder = try StoreCopy(of: path, beside: target)
        defer { folder.remove() }
        let new = try SampleDatabase.open(at: temporary, interpretation)
        recovered = try RowRescue(from: folder.database, path).rescue(into: new)
        try new.close()
      } prepare: { temporary in
        try? owner?.give(temporary)
        try encryption?.writeKeys(ofCopyAt: target, for: owner)
      }
      return recovered
    }
  }
}

/// A copy of a damaged store and its log. It is needed because opening the original would change it.
private struct StoreCopy {
  let database: String
  private let folder: String

  init(of path: String, beside target: String) throws {
    folder = "\(target).\(getpid()).rescue"
    guard mkdir(folder, 0o700) == 0 else {
      throw StorageError.file(operation: "mkdir", path: folder, errno: errno)
    }
    database = folder + "/store.sqlite"
    for suffix in ["", "-wal"] where access(path + suffix, F_OK) == 0 {
      do {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: database + suffix)
      } catch {
        remove()
        throw Self.failure(error, copying: path + suffix, to: target)
      }
      chmod(database + suffix, 0o600)
    }
    StoreHeader.mend(database)
    lengthen()
  }

  /// Returns the error for a failed copy. It names the new file if the disk is full, otherwise the damaged
  /// store.
  private static func failure(_ error: any Error, copying path: String, to target: String) -> StorageError {
    let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue ?? EIO
    let isTargets = [ENOSPC, EDQUOT, EFBIG].contains(code)
    return .file(operation: isTargets ? "write" : "copy", path: isTargets ? target : path, errno: code)
  }

  /// Extends the file to the size stated in its header, because SQLite does not open a shorter file. The
  /// added pages count as damaged.
  private func lengthen() {
    guard let header = StoreHeader(of: database) else { return }
    let size = Int64(header.pageCount) * Int64(header.pageSize)
    // A damaged page count may have any value, so limit the size to 64 GiB.
    guard size > StoreFile.size(at: database), size < 1 << 36 else { return }
    truncate(database, off_t(size))
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

/// Reads the tables of a damaged store, without the pages that cannot be read.
struct RowRescue {
  /// The tables that are not copied: those of SQLite and GRDB, computed ones, and the ID of the store.
  private static let left: Set = [
    "sqlite_sequence", "sqlite_stat1", "sqlite_stat4", "grdb_migrations", "hour_summary", "sample_count",
    "store_identity",
  ]

  private let source: DatabaseQueue
  private let path: String
  /// The path of the copy of the damaged store, which may be changed.
  let copy: String

  init(from copy: String, _ path: String) throws {
    self.path = path
    self.copy = copy
    do {
      source = try DatabaseQueue(path: copy, configuration: .forDamagedSchemas)
      let found = try source.read { try Int32.fetchOne($0, sql: "PRAGMA application_id") ?? 0 }
      guard found == SampleDatabase.applicationID else {
        throw StorageError.notASampleDatabase(path: path, found: found)
      }
    } catch let error as DatabaseError {
      guard [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) else { throw error }
      guard error.resultCode == .SQLITE_CORRUPT else {
        throw StorageError.notASampleDatabase(path: path, found: 0)
      }
      throw StorageError.unrecognisable(path: path)
    }
  }

  func rescue(into new: SampleDatabase) throws -> StoreUpkeep.Recovered {
    var recovered = StoreUpkeep.Recovered()
    try source.writeWithoutTransaction { damaged in
      try new.writer.unsafeReentrantWrite { database in
        try database.execute(sql: "PRAGMA foreign_keys = OFF")
        try database.inTransaction {
          let isComplete = hasCurrentSchema(damaged)
          for table in try tables(in: database) {
            if isComplete, columns(of: table, in: damaged).isEmpty { recovered.damaged.insert(table) }
            try copy(table, from: damaged, to: database, &recovered)
          }
          let unnamed = try readSmallIndexes(into: database, &recovered)
          // Convert the batches before repairing the small tables, because that repair changes references in
          // rows, but not those inside a batch.
          try rescueBatches(of: damaged, in: database, &recovered)
          try mendSmallTables(unnamed, in: database, &recovered)
          try recordLostBlocks(of: damaged, in: database, &recovered)
          try dropOrphans(in: database, &recovered)
          try dropContents(in: database, &recovered)
          try continueLog(after: damaged, in: database)
          return .commit
        }
        try database.execute(sql: "PRAGMA foreign_keys = ON")
      }
    }
    return recovered
  }

  private func tables(in database: Database) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"
    ).filter { !Self.left.contains($0) }
  }

  /// Returns the columns of a damaged store's table; none if its definition cannot be read. GRDB's functions
  /// that read the schema end the program if a row of it is damaged.
  private func columns(of table: String, in damaged: Database) -> [String] {
    (try? String.fetchAll(damaged, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])) ?? []
  }

  /// Returns whether the damaged store had all tables of this version: it lists all migrations of this version,
  /// or its migrations cannot be read.
  private func hasCurrentSchema(_ damaged: Database) -> Bool {
    let sql = "SELECT identifier FROM grdb_migrations"
    guard let done = try? String.fetchAll(damaged, sql: sql) else { return true }
    return Set(Schema.migrator.migrations).isSubset(of: done)
  }

  // MARK: - Rows

  func copy(
    _ table: String, from damaged: Database, to database: Database,
    _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    let wanted = try database.columns(in: table).map(\.name)
    // An older store has fewer columns. If its schema is damaged, the table may be missing.
    let found = columns(of: table, in: damaged)
    guard !found.isEmpty else {
      if SmallTable.all.contains(where: { $0.name == table }) { recovered.damaged.insert(table) }
      return
    }
    let columns = wanted.filter(found.contains)
    guard !columns.isEmpty else { return }
    let list = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try database.makeStatement(
      sql: "INSERT OR IGNORE INTO \(table.quotedDatabaseIdentifier) (\(list)) VALUES (\(marks))")
    let reader = TableReader(table: table, columns: list, hasRowID: try hasRowID(table, database), damaged)
    let isWhole = reader.forEach { values in
      do {
        try insert.execute(arguments: StatementArguments(values))
        let isNew = database.changesCount > 0
        recovered.kept[table, default: 0] += isNew ? 1 : 0
        recovered.dropped[table, default: 0] += isNew ? 0 : 1
      } catch {
        // If the table rejects a value, the value is damaged.
        recovered.dropped[table, default: 0] += 1
      }
    }
    if !isWhole { recovered.damaged.insert(table) }
  }

  private func hasRowID(_ table: String, _ database: Database) throws -> Bool {
    let sql = try String.fetchOne(
      database, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [table])
    return !(sql ?? "").contains("WITHOUT ROWID")
  }

  /// Deletes rows that refer to lost rows, then rows that refer to these, and so on.
  func dropOrphans(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    while true {
      var orphans: [String: [Int64]] = [:]
      var withoutRowID: Set<String> = []
      let rows = try Row.fetchCursor(database, sql: "PRAGMA foreign_key_check")
      while let row = try rows.next() {
        guard let table: String = row[0] else { continue }
        if let rowID: Int64 = row[1] {
          orphans[table, default: []].append(rowID)
        } else {
          withoutRowID.insert(table)
        }
      }
      guard !orphans.isEmpty || !withoutRowID.isEmpty else { return }
      for (table, rowIDs) in orphans {
        let delete = try database.makeStatement(
          sql: "DELETE FROM \(table.quotedDatabaseIdentifier) WHERE rowid = ?")
        for rowID in Set(rowIDs) { try delete.execute(arguments: [rowID]) }
        recovered.drop(Set(rowIDs).count, from: table)
      }
      for table in withoutRowID {
        let count = try dropOrphans(of: table, in: database)
        recovered.drop(count, from: table)
        // If nothing could be deleted, stop; otherwise the loop would not end.
        guard count > 0 else { return }
      }
    }
  }

  private func dropOrphans(of table: String, in database: Database) throws -> Int {
    var count = 0
    for key in try database.foreignKeys(on: table) {
      let columns = key.mapping.map {
        ($0.origin.quotedDatabaseIdentifier, $0.destination.quotedDatabaseIdentifier)
      }
      guard let (origin, destination) = columns.first, columns.count == 1 else { continue }
      try database.execute(
        sql: """
          DELETE FROM \(table.quotedDatabaseIdentifier) WHERE \(origin) IS NOT NULL AND \(origin) NOT IN
            (SELECT \(destination) FROM \(key.destinationTable.quotedDatabaseIdentifier))
          """)
      count += database.changesCount
    }
    return count
  }

  // MARK: - The change log

  /// Continues the numbering of the change log, because a position must not be used twice.
  private func continueLog(after damaged: Database, in database: Database) throws {
    let before =
      (try? Int64.fetchOne(damaged, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'sample'")) ?? 0
    try database.execute(
      sql: """
        INSERT INTO sqlite_sequence (name, seq)
          SELECT 'sample', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'sample');
        UPDATE sqlite_sequence SET seq = max(seq, ifnull((SELECT max(id) FROM sample), 0),
          ifnull((SELECT max(id) FROM deleted_object), 0),
          ifnull((SELECT max(last_change) FROM block), 0)) WHERE name = 'sample';
        """)
    // Ignore large values, because a damaged number may have any value.
    guard (0..<1 << 53).contains(before) else { return }
    try database.execute(
      sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'sample'", arguments: [before])
  }
}

extension Configuration {
  /// Opens a database even if SQLite cannot read all of its schema. Tables that it cannot read are missing.
  static let forDamagedSchemas: Configuration = {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.readDamagedSchema() }
    return configuration
  }()
}

extension Database {
  /// Reads the schema. From then on, statements ignore the parts of it that cannot be read.
  func readDamagedSchema() throws {
    try execute(sql: "PRAGMA writable_schema = ON")
    // The first statement fails if the schema is damaged; later ones do not.
    _ = try? Int.fetchOne(self, sql: "SELECT 1 FROM sqlite_schema LIMIT 1")
  }
}

/// Information that recovered samples have lost, because a row in a small table was lost. The raw values
/// never change.
package enum RecoveryLoss: String, Sendable, CaseIterable {
  case metadata
  case device
  /// The source or its version, which was replaced by a placeholder with the name "recovered".
  case source
  /// The name of the source. Its bundle identifier is used instead.
  case sourceName
}
