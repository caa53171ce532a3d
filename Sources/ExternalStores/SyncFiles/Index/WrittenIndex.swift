import Foundation
import GRDB
import HealthDataSync

/// An index of all samples and deletions written to the directory, so that none is written twice.
///
/// The files themselves cannot serve as an index, because readers may delete them. The index is an SQLite
/// database in the hidden directory. A commit is durable once it has returned, and has no effect if it is
/// interrupted.
struct WrittenIndex {
  /// The last page of changes written for a destination: the ID of its marker and the number of the page.
  struct Mark: Hashable, Sendable {
    var id: UUID
    var sequence: Int64
  }

  static let fileName = "index.sqlite"

  private let database: DatabaseQueue
  private(set) var segment = SegmentPosition()

  /// Opens or creates the index. The caller holds the lock of the directory.
  ///
  /// An index of an earlier version is imported in one transaction, and its files are deleted afterwards.
  /// After a crash, there is either only the old index, or both with the same content.
  init(_ folder: Folder) throws {
    // Create the file here, because SQLite would create it with permissions that depend on the umask.
    _ = try folder.open(Self.fileName)
    try folder.sync()
    (database, segment) = try Self.translatingErrors {
      let database = try DatabaseQueue(
        path: folder.path(of: Self.fileName), configuration: Self.configuration)
      let segment = try database.write { database in
        try Self.createTables(database, importingFrom: folder)
        return try Self.segment(database)
      }
      return (database, segment)
    }
    try EarlierIndex.remove(from: folder)
  }

  // MARK: - Reading

  /// Returns the number of the last page of changes written for the destination with this marker ID, or `nil`
  /// if it is unknown.
  func sequence(of marker: UUID?) throws -> Int64? {
    guard let marker else { return nil }
    return try Self.translatingErrors {
      try database.read {
        try Int64.fetchOne($0, sql: "SELECT sequence FROM mark WHERE id = ?", arguments: [marker])
      }
    }
  }

  /// Runs reads in one transaction, which is much faster than one transaction per sample.
  func read<Value>(_ body: (Reader) throws -> Value) throws -> Value {
    try Self.translatingErrors { try database.read { try body(Reader(database: $0)) } }
  }

  struct Reader {
    fileprivate let database: Database

    /// Returns whether a sample was last written as added or as deleted, or `nil` if it was never written.
    ///
    /// - Parameter start: The start of the sample.
    func state(of uuid: UUID, start: Date) throws -> IndexEntry.State? {
      if let state = try untimedState(of: uuid) { return state }
      let statement = try database.cachedStatement(
        sql: "SELECT EXISTS (SELECT * FROM carried WHERE second = ? AND uuid = ?)")
      let isWritten = try Bool.fetchOne(statement, arguments: [IndexEntry.second(of: start), uuid])
      return isWritten == true ? .added : nil
    }

    func isDeleted(_ uuid: UUID) throws -> Bool { try untimedState(of: uuid) == .deleted }

    private func untimedState(of uuid: UUID) throws -> IndexEntry.State? {
      let statement = try database.cachedStatement(sql: "SELECT state FROM untimed WHERE uuid = ?")
      guard let state = try Int64.fetchOne(statement, arguments: [uuid]) else { return nil }
      guard let state = UInt8(exactly: state).flatMap(IndexEntry.State.init) else {
        throw DamagedIndexError()
      }
      return state
    }
  }

  // MARK: - Writing

  /// Records written lines durably.
  ///
  /// - Parameter mark: The page number to store, if these are the last lines of a page of changes.
  mutating func commit(_ segment: SegmentPosition, _ entries: [IndexEntry], _ mark: Mark? = nil) throws {
    try Self.translatingErrors {
      try database.write { database in
        for entry in entries { try Self.insert(entry, database) }
        try Self.save(segment, database)
        if let mark { try Self.save(mark, database) }
      }
    }
    self.segment = segment
  }

  /// Removes all samples and deletions from the index. Keeps the markers of other destinations, and the
  /// number of the current files, because file names must not be reused.
  func forget() throws {
    try Self.translatingErrors {
      try database.write {
        try $0.execute(sql: "DELETE FROM carried")
        try $0.execute(sql: "DELETE FROM untimed")
      }
    }
  }

  private static func insert(_ entry: IndexEntry, _ database: Database) throws {
    switch entry {
    case .added(let uuid, let second):
      try database.cachedStatement(sql: "INSERT OR IGNORE INTO carried VALUES (?, ?)")
        .execute(arguments: [second, uuid])
      try database.cachedStatement(sql: "DELETE FROM untimed WHERE uuid = ?").execute(arguments: [uuid])
    case .deleted(let uuid):
      try insertUntimed(uuid, .deleted, database)
    }
  }

  private static func insertUntimed(
    _ uuid: UUID, _ state: IndexEntry.State, _ database: Database
  ) throws {
    try database.cachedStatement(sql: "INSERT OR REPLACE INTO untimed VALUES (?, ?)")
      .execute(arguments: [uuid, Int64(state.rawValue)])
  }

  private static func save(_ segment: SegmentPosition, _ database: Database) throws {
    try database.cachedStatement(sql: "INSERT OR REPLACE INTO segment VALUES (1, ?, ?, ?, ?)")
      .execute(arguments: [
        Int64(clamping: segment.number), segment.samples, segment.deletions, segment.checksum,
      ])
  }

  private static func save(_ mark: Mark, _ database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO mark VALUES (?, ?)
        ON CONFLICT (id) DO UPDATE SET sequence = max(sequence, excluded.sequence)
        """
    ).execute(arguments: [mark.id, mark.sequence])
  }

  private static func segment(_ database: Database) throws -> SegmentPosition {
    guard let row = try Row.fetchOne(database, sql: "SELECT * FROM segment"),
      let number = integer("number", row).flatMap({ UInt64(exactly: $0) }),
      let samples = integer("samples", row).flatMap({ Int(exactly: $0) }),
      let deletions = integer("deletions", row).flatMap({ Int(exactly: $0) })
    else { throw DamagedIndexError() }
    let segment = SegmentPosition(number: number, samples: samples, deletions: deletions)
    guard integer("checksum", row) == segment.checksum else { throw DamagedIndexError() }
    return segment
  }

  private static func integer(_ column: String, _ row: Row) -> Int64? {
    let value: DatabaseValue? = row[column]
    return value.flatMap(Int64.fromDatabaseValue)
  }

  // MARK: - The database file

  private static let schemaVersion = 1

  /// Creates the tables and imports an earlier index.
  ///
  /// The key of the table `carried` starts with the time, because UUIDs are random. Samples mostly arrive in
  /// chronological order, so a page of changes modifies only a few database pages at the end of the table.
  /// With the UUID first, nearly every sample would modify a different database page.
  ///
  /// The table `untimed` has entries for which only the UUID is known: deletions, and samples from an index
  /// of an earlier version. If a UUID is in both tables, `untimed` takes precedence.
  private static func createTables(_ database: Database, importingFrom folder: Folder) throws {
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version != schemaVersion else { return }
    guard version == 0 else { throw DamagedIndexError() }
    try database.execute(
      sql: """
        CREATE TABLE carried (second INTEGER NOT NULL, uuid BLOB NOT NULL, PRIMARY KEY (second, uuid))
        STRICT, WITHOUT ROWID;
        CREATE TABLE untimed (uuid BLOB PRIMARY KEY, state INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE segment (
          id INTEGER PRIMARY KEY, number INTEGER NOT NULL, samples INTEGER NOT NULL,
          deletions INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
        CREATE TABLE mark (id BLOB PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        PRAGMA user_version = \(schemaVersion);
        """)
    let earlier = try EarlierIndex.read(folder) { uuid, state in try insertUntimed(uuid, state, database) }
    for mark in earlier.marks { try save(mark, database) }
    try save(earlier.segment, database)
  }

  private static let configuration: Configuration = {
    var configuration = Configuration()
    configuration.label = "SyncFiles"
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      // The directory's lock excludes other writers. With exclusive locking, SQLite does not need shared
      // memory, which network file systems lack.
      try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
      try database.execute(sql: "PRAGMA page_size = 1024")
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      try database.execute(sql: "PRAGMA synchronous = FULL")
      // Use small database pages and a small log (about 128 kB). A commit with a minute of samples then
      // writes little, and the log fits even on a nearly full disk.
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 128")
      try database.execute(sql: "PRAGMA journal_size_limit = 131072")
    }
    return configuration
  }()

  /// Converts the errors of SQLite.
  ///
  /// - Throws: `DamagedIndexError` or `FolderError`.
  private static func translatingErrors<Value>(_ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch let error as DatabaseError {
      switch error.resultCode {
      case .SQLITE_FULL: throw FolderError(ENOSPC)
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN: throw FolderError(EACCES)
      case .SQLITE_BUSY, .SQLITE_LOCKED: throw FolderError(EBUSY)
      case .SQLITE_NOMEM: throw FolderError(ENOMEM)
      // The SQL text is constant, so an SQL error means that the tables are not the ones created here.
      case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH,
        .SQLITE_SCHEMA, .SQLITE_FORMAT:
        throw DamagedIndexError()
      default: throw FolderError(EIO)
      }
    } catch is RowDecodingError {
      throw DamagedIndexError()
    }
  }
}

/// A line in the files, as recorded in the index.
enum IndexEntry: Hashable, Sendable {
  enum State: UInt8, Sendable {
    case added = 1
    case deleted = 2
  }

  /// An added sample.
  ///
  /// - Parameter second: See ``second(of:)``.
  case added(UUID, second: Int64)
  case deleted(UUID)

  /// Returns the start of a sample in seconds since 1970, rounded down.
  static func second(of start: Date) -> Int64 {
    let seconds = start.timeIntervalSince1970.rounded(.down)
    return Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max)
  }
}

/// The index has invalid content. Only a disk error or another program can cause that.
struct DamagedIndexError: Error {}

/// Returns the 64-bit FNV-1a hash, which detects accidental changes but not deliberate ones.
func indexChecksum(_ bytes: Data) -> UInt64 {
  bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}

extension SegmentPosition {
  /// A checksum of the position. When the directory is opened, lines after the position are cut off. With the
  /// checksum, a damaged position does not cause valid lines to be cut off.
  fileprivate var checksum: Int64 {
    var bytes = Data()
    for number in [number, UInt64(bitPattern: Int64(samples)), UInt64(bitPattern: Int64(deletions))] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return Int64(bitPattern: indexChecksum(bytes))
  }
}
