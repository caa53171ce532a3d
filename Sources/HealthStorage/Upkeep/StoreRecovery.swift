import Foundation
import GRDB

extension StoreUpkeep {
  /// What became of each table.
  package struct Recovered: Hashable, Sendable {
    /// Rows that were read and kept, by table.
    package var kept: [String: Int] = [:]
    /// Rows that were read and are none, or refer to rows that are lost.
    package var dropped: [String: Int] = [:]
    /// Tables that could not be read to their end.
    package var damaged: Set<String> = []
    /// Blocks of samples that are lost: which, and why, for a person.
    package var lostBlocks: [String] = []
    /// How many samples are saved without something of theirs.
    package var losses: [RecoveryLoss: Int] = [:]
  }

  /// Saves what is sound of a damaged store, row by row, into a new file. The damaged one stays as it is.
  ///
  /// Kept figures are not taken over: they are calculated anew. The new store has a name of its own, so that
  /// programs and destinations begin anew with it.
  /// - Parameter owner: whose it is, where root makes it for another.
  /// - Throws: `StorageFailure`: `.notASampleDatabase` and `.unrecognisable` where nothing of a store can be
  ///   recognised any more.
  package static func recover(
    _ path: String, to target: String, for owner: FileOwnership? = nil, _ interpretation: Interpretation
  ) throws -> Recovered {
    try StorageFailure.translating {
      guard access(path, F_OK) == 0 else {
        throw StorageFailure.file(operation: "open", path: path, errno: ENOENT)
      }
      try StoreFile.requireFile(at: path)
      try StoreFile.refuseLogs(beside: target)
      var recovered = Recovered()
      try StoreFile.replacing(target) { temporary in
        let folder = try StoreCopy(of: path, beside: target)
        defer { folder.remove() }
        let new = try SampleDatabase.open(at: temporary, interpretation)
        recovered = try RowRescue(from: folder.database, path).rescue(into: new)
        try new.close()
      } prepare: { temporary in
        try? owner?.give(temporary)
      }
      return recovered
    }
  }
}

/// A damaged store and its log, copied: opening them would write.
private struct StoreCopy {
  let database: String
  private let folder: String

  init(of path: String, beside target: String) throws {
    folder = "\(target).\(getpid()).rescue"
    guard mkdir(folder, 0o700) == 0 else {
      throw StorageFailure.file(operation: "mkdir", path: folder, errno: errno)
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

  /// A full disk is the copy's, all else the damaged store's.
  private static func failure(_ error: any Error, copying path: String, to target: String) -> StorageFailure {
    let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue ?? EIO
    let isTargets = [ENOSPC, EDQUOT, EFBIG].contains(code)
    return .file(operation: isTargets ? "write" : "copy", path: isTargets ? target : path, errno: code)
  }

  /// SQLite opens no file that is shorter than its header says. What was cut off is damaged pages then.
  private func lengthen() {
    guard let header = StoreHeader(of: database) else { return }
    let size = Int64(header.pageCount) * Int64(header.pageSize)
    // A damaged number may be any: no more than a cut could have taken.
    guard size > StoreFile.size(at: database), size < 1 << 36 else { return }
    truncate(database, off_t(size))
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

/// Reads the tables of a damaged store, around what cannot be read.
struct RowRescue {
  /// Not taken over: SQLite's and the migrator's own, and what is calculated or made anew.
  private static let left: Set = [
    "sqlite_sequence", "sqlite_stat1", "sqlite_stat4", "grdb_migrations", "hour_summary", "sample_count",
    "store_identity",
  ]

  private let source: DatabaseQueue
  private let path: String
  /// The damaged store's copy, which may be written to.
  let copy: String

  init(from copy: String, _ path: String) throws {
    self.path = path
    self.copy = copy
    do {
      source = try DatabaseQueue(path: copy)
      let found = try source.read { try Int32.fetchOne($0, sql: "PRAGMA application_id") ?? 0 }
      guard found == SampleDatabase.applicationID else {
        throw StorageFailure.notASampleDatabase(path: path, found: found)
      }
    } catch let error as DatabaseError {
      guard [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) else { throw error }
      guard error.resultCode == .SQLITE_CORRUPT else {
        throw StorageFailure.notASampleDatabase(path: path, found: 0)
      }
      throw StorageFailure.unrecognisable(path: path)
    }
  }

  func rescue(into new: SampleDatabase) throws -> StoreUpkeep.Recovered {
    var recovered = StoreUpkeep.Recovered()
    try source.writeWithoutTransaction { damaged in
      try new.writer.unsafeReentrantWrite { database in
        try database.execute(sql: "PRAGMA foreign_keys = OFF")
        try database.inTransaction {
          for table in try tables(in: database) {
            try copy(table, from: damaged, to: database, &recovered)
          }
          let unnamed = try readSmallIndexes(into: database, &recovered)
          // Foreign keys are a row's, and of no use to what names them within a batch.
          try rescueBatches(of: damaged, in: database, &recovered)
          try mendSmallTables(unnamed, in: database, &recovered)
          try noteLostBlocks(of: damaged, in: database, &recovered)
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

  // MARK: - Rows

  private func copy(
    _ table: String, from damaged: Database, to database: Database,
    _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    let wanted = try database.columns(in: table).map(\.name)
    // An older store has fewer columns, and a damaged schema no table.
    guard let found = try? damaged.columns(in: table).map(\.name) else {
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
        // A value that the table does not take is damage.
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

  /// What refers to a lost row goes, and then what refers to that.
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
        // Nothing to be done about it would be done for ever.
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

  /// Places of the change log are never given twice.
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
    // A damaged number may be any.
    guard (0..<1 << 53).contains(before) else { return }
    try database.execute(
      sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'sample'", arguments: [before])
  }
}
