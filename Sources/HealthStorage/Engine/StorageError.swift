package import Foundation
import GRDB

/// An error of the store's database. If a write throws, nothing was written.
///
/// No case contains a health value. SQLite's message is included, but not the data.
package enum StorageError: Error, Hashable, Sendable {
  /// The file is not an SQLite database, or belongs to another program; `found` is its `application_id`.
  case notASampleDatabase(path: String, found: Int32)
  /// A newer version of hrgate wrote the file; `found` is the last migration of its schema.
  case newerSchema(path: String, found: String)
  /// Objects with these UUIDs are already stored, or occur twice among the objects to save. Nothing was
  /// saved.
  case duplicates([UUID])
  /// Objects with these UUIDs are not stored, or were saved by another source. Nothing was deleted.
  case notOwned([UUID])
  /// The user has not yet decided whether the application may do this.
  case undecided
  /// The user does not allow the application to do this.
  case denied
  /// Objects with these UUIDs are not stored, so other samples cannot refer to them. Nothing was saved.
  case notStored([UUID])
  /// The stored bytes of a series are invalid.
  case damagedSeries(UUID)
  /// The stored bytes of a metadata dictionary are invalid.
  case damagedMetadata
  /// A compressed segment of samples cannot be read. The text contains its type, its hour and the reason.
  case damagedBlock(String)
  /// A program of an earlier version, which does not know compressed segments, may have the store open.
  case earlierProgram(path: String)
  /// Another gateway is running on this store. Contains its process ID, if known.
  case gatewayRuns(process: Int32?)
  /// Another program is syncing to this destination. Contains its process ID, if known.
  case destinationRuns(name: String, process: Int32?)
  /// The store cannot be replaced, because a program has it open.
  case inUse(path: String)
  /// The destination of a copy is the store itself, or one of the files that SQLite keeps beside it.
  case isTheStore(path: String)
  /// The destination of a copy is another store that is in use.
  case isAnotherStore(path: String)
  /// The destination of a copy is an existing file that is not an earlier copy of the same store.
  case isNoCopy(path: String)
  /// There is a log file next to the path, which SQLite would apply to the database file.
  case logBeside(path: String, log: String)
  /// The destination is a symbolic link.
  case isLink(path: String)
  /// The file is damaged. Contains SQLite's message.
  case damaged(path: String, String)
  /// The pages of the file that contain the schema are damaged.
  case unrecognisable(path: String)
  /// The path is a directory or a special file.
  case notAFile(path: String, isDirectory: Bool)
  /// The file system is read-only, probably because the kernel has remounted it after an error. Writes may
  /// still report success.
  case readOnlyFileSystem(path: String)
  /// The file was deleted, moved or replaced while the store was open. What is written would be lost.
  case fileReplaced(path: String)
  /// The store is encrypted and locked: its data key is not in the user's keyring.
  case locked
  /// The secret does not unlock the store. Contains the reason.
  case wrongKey(String)
  /// An error of encryption, keys or the keyring. The text tells the user what to do.
  case encryption(String)
  /// A system call for the file or its directory failed.
  case file(operation: String, path: String, errno: Int32)
  /// An SQLite error. `code` is SQLite's name for the primary code (`SQLITE_FULL`, `SQLITE_BUSY`,
  /// `SQLITE_READONLY` …), or for the extended code if there is special advice for it
  /// (`SQLITE_IOERR_SHMMAP`).
  case sqlite(code: String, message: String)
}

extension StorageError {
  /// Whether the error will persist until the user replaces or repairs the file, or installs a newer version.
  /// `false`, for example, for a lock, a full disk or a missing permission.
  package var lasts: Bool {
    switch self {
    case .notASampleDatabase, .newerSchema, .damaged, .unrecognisable, .notAFile: true
    case .sqlite(let code, _): ["SQLITE_CORRUPT", "SQLITE_NOTADB"].contains(code)
    default: false
    }
  }

  /// A row has values that hrgate never writes.
  static let damagedRow = sqlite(code: "SQLITE_CORRUPT", message: "a row of the store has invalid values")

  /// Calls `work`, translating SQLite's errors.
  static func translating<Value>(_ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch {
      throw naming(error)
    }
  }

  static func translating<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch {
      throw naming(error)
    }
  }

  /// Translates SQLite's errors. Other errors are returned unchanged.
  private static func naming(_ error: any Error) -> any Error {
    // Do not pass on a `RowDecodingError`, because it contains the values of the row.
    if error is RowDecodingError { return damagedRow }
    guard let error = error as? DatabaseError else { return error }
    // The code for encrypted files did not find a key.
    if error.resultCode == .SQLITE_AUTH { return locked }
    // An error of the virtual table `packed_sample`. Its message names the compressed segment.
    if error.extendedResultCode == .SQLITE_CORRUPT_VTAB { return damagedBlock(error.message ?? "a block") }
    return sqlite(code: name(of: error.extendedResultCode), message: error.message ?? "")
  }

  /// Returns the name of an error code in `sqlite3.h`: that of the extended code if there is special advice
  /// for it, otherwise that of the primary code.
  static func name(of code: ResultCode) -> String {
    if let name = sharedMemoryNames[code.rawValue] { return name }
    return primaryNames[code.primaryResultCode.rawValue] ?? "SQLITE_\(code.rawValue)"
  }

  /// Errors of a file system without shared memory, which SQLite needs for the write-ahead log. `SHMSIZE` is
  /// not included, because a full disk also causes it.
  private static let sharedMemoryNames: [Int32: String] = [
    10 | 18 << 8: "SQLITE_IOERR_SHMOPEN", 10 | 20 << 8: "SQLITE_IOERR_SHMLOCK",
    10 | 21 << 8: "SQLITE_IOERR_SHMMAP",
  ]

  private static let primaryNames: [Int32: String] = [
    1: "SQLITE_ERROR", 2: "SQLITE_INTERNAL", 3: "SQLITE_PERM", 4: "SQLITE_ABORT", 5: "SQLITE_BUSY",
    6: "SQLITE_LOCKED", 7: "SQLITE_NOMEM", 8: "SQLITE_READONLY", 9: "SQLITE_INTERRUPT", 10: "SQLITE_IOERR",
    11: "SQLITE_CORRUPT", 12: "SQLITE_NOTFOUND", 13: "SQLITE_FULL", 14: "SQLITE_CANTOPEN",
    15: "SQLITE_PROTOCOL", 16: "SQLITE_EMPTY", 17: "SQLITE_SCHEMA", 18: "SQLITE_TOOBIG",
    19: "SQLITE_CONSTRAINT", 20: "SQLITE_MISMATCH", 21: "SQLITE_MISUSE", 22: "SQLITE_NOLFS",
    23: "SQLITE_AUTH",
    24: "SQLITE_FORMAT", 25: "SQLITE_RANGE", 26: "SQLITE_NOTADB",
  ]
}

extension StorageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notASampleDatabase(let path, let found):
      "\(path) is not a health store (application_id \(found)) and was not changed. "
        + "Choose another file, or move this one away and restore a backup"
    case .newerSchema(let path, let found):
      "\(path) was written by a newer version (schema \(found)); update this program to open it"
    case .duplicates(let uuids):
      "the store already has \(uuids.count) of the objects (same UUID)"
    case .notOwned(let uuids):
      "\(uuids.count) object(s) are not in the store, or another source saved them"
    case .undecided: "Authorization not determined"
    case .denied: "Not authorized"
    case .notStored(let uuids):
      "\(uuids.count) object(s) are not in the store"
    case .damagedSeries(let uuid):
      "the values of series \(uuid) are damaged; restore a backup, or delete the series"
    case .damagedMetadata:
      "a metadata record is damaged; restore a backup"
    case .damagedBlock(let text):
      "\(text); `hrgate store check` shows what is readable, `hrgate store recover` saves it"
    case .earlierProgram(let path):
      "a program of an earlier version may have \(path) open and could not read compressed samples: "
        + "stop all programs that use the store, and try again"
    case .gatewayRuns(let process):
      "a gateway\(process.map { " (process \($0))" } ?? "") runs on this store already: "
        + "stop it, or choose another store"
    case .destinationRuns(let name, let process):
      "\(process.map { "process \($0)" } ?? "another program") syncs to \(name) already; stop it first"
    case .inUse(let path):
      "another program has \(path) open, for example hrgate run: stop it, and try again"
    case .isTheStore(let path):
      "\(path) is the store itself, or one of its files; choose another file"
    case .isAnotherStore(let path):
      "\(path) is a store that is in use; choose another file"
    case .isNoCopy(let path):
      "\(path) is not an earlier copy of this store and was not changed: "
        + "choose another file, or move that one away"
    case .logBeside(let path, let log):
      "SQLite would apply the log \(log) to \(path): choose another file, "
        + "or delete the log if no store needs it"
    case .isLink(let path):
      "\(path) is a symbolic link, which would be replaced by a file: choose its target, or another file"
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)); `hrgate store check` shows what is readable, "
        + "`hrgate store recover` saves it"
    case .unrecognisable(let path):
      "the schema of \(path) is damaged, so nothing can be recovered; replace it with a backup: "
        + "`hrgate store restore`"
    case .notAFile(let path, isDirectory: true):
      "\(path) is a directory; choose a file in it, such as "
        + "\((path as NSString).appendingPathComponent("health.sqlite"))"
    case .notAFile(let path, isDirectory: false):
      "\(path) is not a regular file; choose a regular file, or a new one"
    case .readOnlyFileSystem(let path):
      "the file system of \(path) is read-only, probably because of a disk error: "
        + "check the kernel's log (dmesg), then remount it read-write; "
        + "meanwhile, `hrgate store backup` can copy the store to another disk"
    case .fileReplaced(let path):
      "the file of this store (\(path)) was deleted or replaced while it was open, so nothing can be saved: "
        + "put the file back, or start the program again"
    case .locked: "the store is encrypted and locked; unlock it with `hrgate store unlock`"
    case .wrongKey(let reason), .encryption(let reason): reason
    case .file(let operation, let path, let errno):
      "\(operation) \(path): \(String(cString: strerror(errno)))"
    case .sqlite(let code, let message):
      "\(code): \(message)" + (Self.remedies[code].map { "; \($0)" } ?? "")
    }
  }

  private static let noSharedMemory =
    "the file system of the store is read-only (check the kernel's log), or cannot share memory between "
    + "programs, like network file systems and folders shared with virtual machines (NFS, SMB, 9P); "
    + "put the store on a local disk, for example at /var/lib/hrgate/health.sqlite"

  /// Advice for the user, by the name of the SQLite error.
  private static let remedies = [
    "SQLITE_IOERR_SHMMAP": noSharedMemory,
    "SQLITE_IOERR_SHMOPEN": noSharedMemory,
    "SQLITE_IOERR_SHMLOCK": noSharedMemory,
    "SQLITE_BUSY": "another program keeps the store locked: try again, or stop that program",
    "SQLITE_LOCKED": "another connection keeps the store locked: try again",
    "SQLITE_FULL": "free some disk space and try again; nothing was stored",
    "SQLITE_READONLY": "this user has no permission to write the file or its directory",
    "SQLITE_PERM": "this user has no permission to use the file",
    "SQLITE_CANTOPEN": "check that the file and its directory exist and belong to this user",
    "SQLITE_IOERR":
      "the disk failed to read or write, or the kernel has made its file system read-only; "
      + "check the kernel's log",
    "SQLITE_CORRUPT":
      "the file is damaged and was not changed: `hrgate store check` shows what is readable, "
      + "`hrgate store recover` saves it, and `hrgate store restore` replaces it with a backup",
    "SQLITE_NOTADB":
      "the file is not a database and was not changed; `hrgate store restore` replaces it with a backup",
  ]
}
