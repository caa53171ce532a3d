import Foundation
import GRDB

extension SampleDatabase {
  /// SQLite's `application_id` of hrgate's stores: "hrgt".
  static let applicationID: Int32 = 0x6872_6774
  /// The page size in bytes. A commit of a gateway changes a few bytes in each of about five pages, and pages
  /// are written as a whole. SQLite's default of 4,096 bytes would increase the written volume to 1.7 times
  /// (`Benchmarks/disk-writes`). Reading rows is a few percent slower than with the default; with 1,024 bytes
  /// it would be a third slower.
  static let pageSize = 2048
  /// The number of pages in the write-ahead log after which they are copied to the database file. A page that
  /// changed several times is copied once, so a gateway writes 3 % less than with SQLite's default of 1,000.
  /// The log takes 8 MB. A lookup in it is as fast, because its index has one hash table for 4,062 pages.
  private static let checkpointPages = 4000

  /// Opens the database at `path` and migrates an older schema. Creates the directory (0700) and the file
  /// (0600) if they are missing.
  /// - Parameter interpretation: The functions with which query filters evaluate metadata and archives.
  /// - Throws: `StorageError`. If the file belongs to another program or has a newer schema, it is not
  ///   changed.
  package static func open(at path: String, _ interpretation: Interpretation) throws -> SampleDatabase {
    let path = try StoreFile.prepare(at: path)
    do {
      return try openPrepared(path, interpretation)
    } catch StorageError.sqlite(let code, _)
      where code != "SQLITE_CORRUPT" && StoreFile.hasReadOnlyFileSystem(path)
    {
      // SQLite cannot create its shared-memory file on a read-only file system, and has no error code for
      // that.
      throw StorageError.readOnlyFileSystem(path: path)
    }
  }

  private static func openPrepared(
    _ path: String, _ interpretation: Interpretation
  ) throws -> SampleDatabase {
    try StorageError.translating {
      // Hold the lock from the check for missing tables until they are created.
      try OpeningLock.held(forDatabaseAt: path) {
        let recognised = try recognise(path)
        let timeout = BusyTimeout()
        let pool = try DatabasePool(path: path, configuration: configuration(with: interpretation, timeout))
        // With a write-ahead log, NORMAL syncs only at checkpoints, so a power failure would undo commits.
        // Set FULL here and not in `prepareDatabase`, because DatabasePool sets NORMAL after that; and
        // outside a transaction, because SQLite does not allow it inside one.
        try pool.writeWithoutTransaction {
          try $0.execute(
            sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = \(checkpointPages)")
        }
        try migrate(pool, fresh: !recognised, path)
        return SampleDatabase(pool, path: path, interpretation, timeout)
      }
    }
  }

  /// Creates a database in memory. It is gone when this object is released.
  package static func inMemory(_ interpretation: Interpretation) throws -> SampleDatabase {
    try StorageError.translating {
      let timeout = BusyTimeout()
      let queue = try DatabaseQueue(configuration: configuration(with: interpretation, timeout))
      try migrate(queue, fresh: true)
      return SampleDatabase(queue, path: nil, interpretation, timeout)
    }
  }

  /// Creates a database in memory, with an unnamed temporary file for data that does not fit. It is gone when
  /// this object is released.
  package static func unnamed(_ interpretation: Interpretation) throws -> SampleDatabase {
    try StorageError.translating {
      let timeout = BusyTimeout()
      let queue = try DatabaseQueue(path: "", configuration: configuration(with: interpretation, timeout))
      try migrate(queue, fresh: true)
      return SampleDatabase(queue, path: nil, interpretation, timeout)
    }
  }

  /// The options that all connections share. `EncryptedFiles.register()` is called here, because it changes
  /// SQLite's global settings, which must be done before the first connection.
  private static let configuration: Configuration = {
    EncryptedFiles.register()
    var configuration = Configuration()
    // For the read-only connections of this file. ``configuration(with:_:)`` replaces it.
    configuration.busyMode = .timeout(5)
    configuration.label = "HealthStorage"
    return configuration
  }()

  /// Returns the options of a store's connections. They set up each connection as follows:
  /// - the busy timeout of the writer: ``BusyTimeout``
  /// - `PRAGMA page_size`: ``pageSize``
  /// - the SQL functions that query filters use, and the virtual table of compressed segments
  ///   (``PackedSampleModule``)
  ///
  /// Some options are set elsewhere:
  /// - GRDB turns on `PRAGMA foreign_keys`. A `DatabasePool` has `PRAGMA journal_mode = WAL`, one writer, and
  ///   up to five readers, which it opens when they are needed, each with a busy timeout of 10 s.
  /// - `PRAGMA synchronous` is FULL (``openPrepared(_:_:)``). Only ``writeWithoutSync(_:)`` sets NORMAL, for
  ///   one transaction.
  /// - A gateway limits `PRAGMA cache_size` of the writer (``limitPageCache(toKilobytes:)``).
  private static func configuration(
    with interpretation: Interpretation, _ timeout: BusyTimeout
  ) -> Configuration {
    var configuration = configuration
    configuration.busyMode = .callback { timeout.wait(afterTries: $0) }
    let functions = interpretation.functions + [QuantityOrderFunction.function]
    configuration.prepareDatabase { database in
      // This applies only to new files. SQLite keeps the page size of existing ones.
      try database.execute(sql: "PRAGMA page_size = \(pageSize)")
      functions.forEach(database.add)
      try PackedSampleModule.register(in: database)
    }
    return configuration
  }

  /// Returns whether the file is a store of hrgate; `false` for an empty file.
  private static func recognise(_ path: String) throws -> Bool {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    guard let size = attributes[.size] as? NSNumber, size.intValue > 0 else { return false }
    var configuration = configuration
    configuration.readonly = true
    return try StoreHeader.explainingErrors(path) {
      try DatabaseQueue(path: path, configuration: configuration).read { database in
        let found = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let hasTables =
          try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT * FROM sqlite_schema)") ?? false
        guard found == applicationID || (found == 0 && !hasTables) else {
          throw StoreHeader.failure(path, found: found)
        }
        try refuseNewerSchema(database, path)
        return found == applicationID
      }
    }
  }

  /// Returns the state of a store's schema and the problems that SQLite's quick check finds, using a
  /// read-only connection.
  /// - Throws: `StorageError`.
  static func inspect(
    _ path: String, mostProblems: Int
  ) throws -> (state: StoreInspection.State, problems: [String]) {
    try reading(path) { database in
      let problems = try SQLiteCheck.problems("quick_check", most: mostProblems, in: database)
      return (try schemaState(database), problems)
    }
  }

  /// Reads a store of any schema version, using a read-only connection.
  /// - Throws: `StorageError`.
  static func reading<Value>(_ path: String, _ body: (Database) throws -> Value) throws -> Value {
    var configuration = configuration
    configuration.readonly = true
    return try StorageError.translating {
      try StoreHeader.explainingErrors(path) {
        let address = StoreFile.addressForReading(path)
        return try DatabaseQueue(path: address, configuration: configuration).read { database in
          let found = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
          guard found == applicationID else {
            throw StoreHeader.failure(path, found: found)
          }
          return try body(database)
        }
      }
    }
  }

  private static func schemaState(_ database: Database) throws -> StoreInspection.State {
    let migrator = Schema.migrator
    let applied = try migrator.appliedIdentifiers(database)
    if let newer = applied.subtracting(migrator.migrations).max() { return .newer(newer) }
    guard let newest = migrator.migrations.last, !applied.contains(newest) else { return .current }
    return .older(migrator.migrations.last(where: applied.contains) ?? "0")
  }

  /// Throws if the store has a migration that this version does not know.
  ///
  /// - Throws: `StorageError.newerSchema`.
  static func refuseNewerSchema(_ database: Database, _ path: String) throws {
    let migrator = Schema.migrator
    let unknown = try migrator.appliedIdentifiers(database).subtracting(migrator.migrations)
    if let newest = unknown.max() { throw StorageError.newerSchema(path: path, found: newest) }
  }

  /// - Parameter path: The path of the file; `nil` for a database in memory.
  private static func migrate(
    _ writer: some DatabaseWriter, fresh: Bool, _ path: String? = nil
  ) throws {
    if fresh {
      try writer.write { database in
        try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      }
    }
    // GRDB's migrator locks the database for writing even if there is nothing to do. A program that only
    // reads must not wait for a writer.
    if !fresh, try writer.read(Schema.migrator.hasCompletedMigrations) { return }
    guard !fresh, try writer.read({ try !Schema.migrator.appliedIdentifiers($0).contains("18") }) else {
      return try Schema.migrator.migrate(writer)
    }
    // A program of an earlier version would not see samples that are stored from now on, and would write to a
    // table that no longer exists. So wait until no such program has the store open. The opening lock keeps
    // others from opening it now.
    if let path { try awaitOtherPrograms(path) }
    try Schema.migrator.migrate(writer, upTo: "17")
    // Start the transaction with SQL: a transaction of GRDB would fail at its end if it has read a damaged
    // page.
    let batches = try writer.unsafeRead { database -> EarlierBatches.Survey? in
      try database.execute(sql: "BEGIN")
      defer { try? database.execute(sql: "ROLLBACK") }
      return try EarlierBatches(in: database)?.survey()
    }
    try Schema.migrator(converting: batches).migrate(writer)
  }

  /// Waits up to four seconds until no other program has the store open.
  /// - Throws: `StorageError.earlierProgram`.
  private static func awaitOtherPrograms(_ path: String) throws {
    var attempt = 0
    while StoreUse.isSeenOpenElsewhere(path) == true {
      guard attempt < 40 else { throw StorageError.earlierProgram(path: path) }
      attempt += 1
      usleep(100_000)
    }
  }
}
