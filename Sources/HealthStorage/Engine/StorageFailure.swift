package import Foundation
import GRDB

/// Why the sample database could not do what was asked. Nothing is half-written when one of these is thrown.
///
/// No case carries a health value: what SQLite says is kept, what was being written is not.
package enum StorageFailure: Error, Hashable, Sendable {
  /// The file is an SQLite database of something else (`found` is its `application_id`), or no database at
  /// all.
  case notASampleDatabase(path: String, found: Int32)
  /// The file was written by a newer version, whose last schema migration is `found`.
  case newerSchema(path: String, found: String)
  /// These objects are stored already, or occur twice in the batch. Nothing of the batch was stored.
  case duplicates([UUID])
  /// These objects are not stored, or another source saved them. Nothing was deleted.
  case notOwned([UUID])
  /// The user was never asked whether the application may do this.
  case undecided
  /// The user does not let the application do this.
  case denied
  /// These objects are not stored, so that nothing can belong to them or they to nothing. Nothing was saved.
  case notStored([UUID])
  /// A series whose stored bytes are not what this version writes.
  case damagedSeries(UUID)
  /// Stored metadata whose bytes are not what this version writes.
  case damagedMetadata
  /// A block of samples cannot be read: which, by its type and hour, and why.
  case damagedBlock(String)
  /// A program may have the store open that is of a version which knows no blocks.
  case earlierProgram(path: String)
  /// Another program follows the monitors of this store; its process, where that is known.
  case gatewayRuns(process: Int32?)
  /// Another program carries to this destination; its process, where that is known.
  case destinationRuns(name: String, process: Int32?)
  /// A program has the store open that was to be replaced.
  case inUse(path: String)
  /// A copy was to be written over the store that it is of, or over a file that SQLite keeps beside it.
  case isTheStore(path: String)
  /// A copy was to be written over another store, one that people or programs use.
  case isAnotherStore(path: String)
  /// A copy was to be written over a file that is no earlier copy of the same store.
  case isNoCopy(path: String)
  /// What SQLite would play into the file lies beside its place.
  case logBeside(path: String, log: String)
  /// A file was to take the place of a symbolic link.
  case isLink(path: String)
  /// A file that was to be copied is damaged; what SQLite says of it.
  case damaged(path: String, String)
  /// The pages are damaged that say which tables the file has.
  case unrecognisable(path: String)
  /// What is at the path is a directory, or something else that holds no file's contents.
  case notAFile(path: String, isDirectory: Bool)
  /// The file system is read-only, made so by the kernel most likely, whatever SQLite and the kernel say of a
  /// write.
  case readOnlyFileSystem(path: String)
  /// A system call on the file or its directory failed.
  case file(operation: String, path: String, errno: Int32)
  /// SQLite refused; `code` is its own name for the reason (`SQLITE_FULL`, `SQLITE_BUSY`, `SQLITE_READONLY`
  /// …): the primary code, and the extended one where it alone says what to do (`SQLITE_IOERR_SHMMAP`).
  case sqlite(code: String, message: String)
}

extension StorageFailure {
  /// Whether it lies in what the file holds, and stays so until somebody puts another in its place, mends it,
  /// or brings a newer program. Not so a lock, a full disk or a missing permission.
  package var lasts: Bool {
    switch self {
    case .notASampleDatabase, .newerSchema, .damaged, .unrecognisable, .notAFile: true
    case .sqlite(let code, _): ["SQLITE_CORRUPT", "SQLITE_NOTADB"].contains(code)
    default: false
    }
  }

  /// A row that does not hold what this version writes.
  static let damagedRow = sqlite(code: "SQLITE_CORRUPT", message: "a row is not what this version writes")

  /// Does the work; what SQLite refuses is thrown under SQLite's own name.
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

  /// SQLite's failure under its own name; other errors (cancellation, our own) pass unchanged.
  private static func naming(_ error: any Error) -> any Error {
    // It would tell the values of the row.
    if error is RowDecodingError { return damagedRow }
    guard let error = error as? DatabaseError else { return error }
    // That of `packed_sample`, which names the block.
    if error.extendedResultCode == .SQLITE_CORRUPT_VTAB { return damagedBlock(error.message ?? "a block") }
    return sqlite(code: name(of: error.extendedResultCode), message: error.message ?? "")
  }

  /// The constant of `sqlite3.h`: of the primary code, for a caller acts on those, but for the extended ones
  /// that have a remedy of their own.
  static func name(of code: ResultCode) -> String {
    if let name = sharedMemoryNames[code.rawValue] { return name }
    return primaryNames[code.primaryResultCode.rawValue] ?? "SQLITE_\(code.rawValue)"
  }

  /// The file system cannot share memory between programs, which is how the connections of a store tell each
  /// other of the write-ahead log. `SHMSIZE` is not among them: a full disk ends in that, too.
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

extension StorageFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notASampleDatabase(let path, let found):
      "\(path) is not a health store (application_id \(found)) and is left as it is; name another file, or move this one "
        + "away and restore a backup"
    case .newerSchema(let path, let found):
      "\(path) was written by a newer version (schema \(found)); update this program to open it"
    case .duplicates(let uuids):
      "\(uuids.count) object(s) with a UUID that is stored already"
    case .notOwned(let uuids):
      "\(uuids.count) object(s) that are not stored or that another source saved"
    case .undecided: "Authorization not determined"
    case .denied: "Not authorized"
    case .notStored(let uuids):
      "\(uuids.count) object(s) that are not stored"
    case .damagedSeries(let uuid):
      "the values of series \(uuid) are damaged; restore a backup, or delete the series"
    case .damagedMetadata:
      "a metadata record is damaged; restore a backup"
    case .damagedBlock(let text):
      "\(text); `hrgate store check` says what is sound, and `hrgate store recover` saves it"
    case .earlierProgram(let path):
      "a program of an earlier version may have \(path) open, and would not see what is packed: end all programs that use the "
        + "store, and try again"
    case .gatewayRuns(let process):
      "a gateway\(process.map { " (process \($0))" } ?? "") runs on this store already: end it, or name another store"
    case .destinationRuns(let name, let process):
      "\(process.map { "process \($0)" } ?? "another program") carries to \(name) already: leave it to that, or end it"
    case .inUse(let path):
      "a program has \(path) open: end it first, the gateway among others"
    case .isTheStore(let path):
      "\(path) is the store itself, or belongs to it; name another file"
    case .isAnotherStore(let path):
      "\(path) is a store that is in use, and no copy of one; name another file"
    case .isNoCopy(let path):
      "\(path) is no earlier copy of this store, and is left as it is: name another file, or take that one away"
    case .logBeside(let path, let log):
      "\(log) lies beside \(path), and would be taken for a part of it: name another file, or take that one away if nothing needs it"
    case .isLink(let path):
      "\(path) is a symbolic link, whose place a file would take: name what it leads to, or another file"
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)); `hrgate store check` says what is sound, and `hrgate store recover` saves it"
    case .unrecognisable(let path):
      "\(path) does not say any more which tables it has, and nothing can be saved of it; put a backup in its place with "
        + "`hrgate store restore`"
    case .notAFile(let path, isDirectory: true):
      "\(path) is a directory; name a file in it, such as \((path as NSString).appendingPathComponent("health.sqlite"))"
    case .notAFile(let path, isDirectory: false):
      "\(path) is no regular file; name one, or a place where there is none yet"
    case .readOnlyFileSystem(let path):
      "the file system of \(path) is read-only, as the kernel makes one whose disk fails: look at the kernel's log (dmesg), "
        + "and mount it for writing again; `hrgate store backup` copies the store to another disk meanwhile"
    case .file(let operation, let path, let errno):
      "\(operation) \(path): \(String(cString: strerror(errno)))"
    case .sqlite(let code, let message):
      "\(code): \(message)" + (Self.remedies[code].map { "; \($0)" } ?? "")
    }
  }

  private static let noSharedMemory =
    "the file system of the store is read-only (look at the kernel's log), or cannot share memory between programs, as those "
    + "of networks and virtual machines (NFS, SMB, 9P) cannot; put the store on a disk of this machine, such as /var/lib/hrgate/health.sqlite"

  /// What to do about it, where something can be done.
  private static let remedies = [
    "SQLITE_IOERR_SHMMAP": noSharedMemory,
    "SQLITE_IOERR_SHMOPEN": noSharedMemory,
    "SQLITE_IOERR_SHMLOCK": noSharedMemory,
    "SQLITE_BUSY": "another program keeps the store locked: try again, or end that program",
    "SQLITE_LOCKED": "another connection keeps the store locked: try again",
    "SQLITE_FULL": "make room on the disk and try again; nothing was stored",
    "SQLITE_READONLY": "the file or its directory may not be written by this user",
    "SQLITE_PERM": "the file may not be used by this user",
    "SQLITE_CANTOPEN": "see whether the file and its directory exist and belong to this user",
    "SQLITE_IOERR":
      "the disk failed to read or write, or the kernel has made its file system read-only; look at the kernel's log",
    "SQLITE_CORRUPT":
      "the file is damaged and left as it is: `hrgate store check` says what is sound, `hrgate store recover` saves it, and "
      + "`hrgate store restore` puts a backup in its place",
    "SQLITE_NOTADB":
      "the file is no database and is left as it is; `hrgate store restore` puts a backup in its place",
  ]
}
