import GRDB

/// Whether a store may hold blocks: only once no program can have it open any more that knows none.
///
/// A program of a schema before 14 refuses a store of this one, but one that had it open when the schema was
/// brought up to date goes on, sees rows alone, and its sync would pass over what is packed for ever. Where a
/// program that knows blocks finds that nobody else has the store open, there is no such program, and will
/// be none: that is written into the file, as SQLite's `user_version`. A new store has it from the beginning.
struct PackingCompatibility {
  /// 1 was of a version that knew blocks and no batches.
  private static let granted: Int32 = 2

  private let database: Database

  /// Valid only within the write access that it was made in.
  init(in database: Database) { self.database = database }

  /// To be called in a transaction, or where a new store is made.
  func grant() throws { try database.execute(sql: "PRAGMA user_version = \(Self.granted)") }

  var isGranted: Bool {
    get throws {
      try Int32.fetchOne(database.cachedStatement(sql: "PRAGMA user_version")) == Self.granted
    }
  }

  /// To be called in the transaction that would write a block.
  /// - Parameter path: of the store; nil for one in memory.
  /// - Throws: `StorageError.earlierProgram`.
  func require(forStoreAt path: String?) throws {
    guard try !isGranted else { return }
    if let path, StoreUse.isOpenElsewhere(path) { throw StorageError.earlierProgram(path: path) }
    try grant()
  }
}
