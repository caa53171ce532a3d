import Foundation
import GRDB

/// Encrypts or decrypts a store in place. Even if the process or the machine stops, the file at the store's
/// path is complete: either the old or the converted one.
///
/// Temporary files have fixed names, so that the next command can remove what an interrupted conversion left
/// behind.
struct StoreConversion {
  /// The suffix of the encrypted file while it is being written.
  static let encrypting = ".encrypting"
  /// The suffix of the decrypted file while it is being written. It contains unencrypted health data.
  static let decrypting = ".decrypting"
  /// The suffix of the old file, after the encrypted one has replaced it. It contains unencrypted health
  /// data.
  static let unencrypted = ".unencrypted"
  /// The suffix of the old file's write-ahead log. It contains unencrypted health data that is also in the
  /// old file.
  static let unencryptedLog = ".unencrypted-log"
  private static let companions = ["-journal", "-wal", "-shm"]

  /// How long to wait for programs that still read the old file before it is overwritten, in microseconds.
  private static let readersTimeout = 5_000_000
  private static let readersInterval = 50_000

  let path: String

  init(_ path: String) { self.path = path }

  /// Calls `work` while no other program has the store open or can open it.
  func exclusively(_ work: (StoreConversion) throws -> Void) throws {
    try StorageError.translating {
      EncryptedFiles.register()
      let gateway = ProgramLock(ofGatewayOfDatabaseAt: path)
      try gateway.take { .gatewayRuns(process: $0) }
      defer { gateway.release() }
      try OpeningLock.held(forDatabaseAt: path) {
        try refuseUse()
        try removeLeftovers()
        try work(self)
      }
    }
  }

  // MARK: - Conversion

  /// Replaces the store by an encrypted copy.
  /// - Parameter beforeNaming: Called when the encrypted file is complete, right before it gets the store's
  ///   name.
  /// - Throws: Only if the store is unchanged. If the old file cannot be overwritten, no error is thrown: the
  ///   file is left for `removeLeftovers`, and `StoreEncryption.status(ofStoreAt:)` reports it.
  func encrypt(_ store: StoreIdentifier, _ key: SecretBytes, beforeNaming: () throws -> Void) throws {
    let (new, old) = (path + Self.encrypting, path + Self.unencrypted)
    let log = path + Self.unencryptedLog
    try requireSingleName()
    try removingLeftoversOnFailure {
      let before = try settle(keepingLogAs: log)
      try makeCopy(new) { try EncryptedFiles.create(at: new, of: store, with: key) }
      try requireUnchanged(since: before)
      guard link(path, old) == 0 else {
        throw StorageError.file(operation: "link", path: old, errno: errno)
      }
      try beforeNaming()
      try StoreFile.move(new, to: path)
    }
    // Until the new name is on the disk, a power failure can bring back the old file.
    guard (try? StoreFile.sync(path.enclosingFolder)) != nil else { return }
    waitForReaders(of: old)
    for file in [old, log] where access(file, F_OK) == 0 { try? Self.wipe(file) }
    try? StoreFile.sync(path.enclosingFolder)
  }

  /// Replaces the store by a decrypted copy.
  /// - Throws: If the decrypted file does not have the store's name, or a power failure can bring back the
  ///   old one. The keys are still needed then.
  func decrypt() throws {
    let new = path + Self.decrypting
    try removingLeftoversOnFailure {
      let before = try settle()
      try makeCopy(new) {}
      try requireUnchanged(since: before)
      try StoreFile.move(new, to: path)
    }
    try StoreFile.sync(path.enclosingFolder)
  }

  private func removingLeftoversOnFailure(_ work: () throws -> Void) throws {
    do {
      try work()
    } catch {
      try? removeLeftovers()
      throw error
    }
  }

  private func makeCopy(_ new: String, _ begin: () throws -> Void) throws {
    let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw StorageError.file(operation: "create", path: new, errno: errno) }
    close(descriptor)
    do {
      try begin()
      try StoreUpkeep.duplicate(path, at: new)
      let findings = try StoreUpkeep.quickFindings(new)
      guard findings.isEmpty else { throw StorageError.damaged(path: path, findings[0]) }
      try FileOwnership(of: path)?.give(new)
      try StoreFile.sync(new)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      throw StorageError.damaged(path: path, error.message ?? "SQLITE_CORRUPT")
    }
  }

  // MARK: - The old file

  private struct Version: Equatable {
    var size: off_t
    var seconds: Int
    var nanoseconds: Int

    init(_ path: String) {
      var status = stat()
      stat(path, &status)
      (size, seconds, nanoseconds) = (status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private func refuseUse() throws(StorageError) {
    guard !StoreUse.isOpen(path) else { throw .inUse(path: path) }
  }

  /// Throws if the file has another name, such as a snapshot of hard links. Overwriting the old file would
  /// destroy the snapshot, and leaving it would keep the data readable.
  private func requireSingleName() throws(StorageError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .file(operation: "open", path: path, errno: errno) }
    guard status.st_nlink == 1 else {
      throw .encryption(
        "\(path) has another name (a hard link, such as a snapshot), and encrypting would overwrite its content; "
          + "delete the other name, or separate it: cp \(path) \(path).copy && mv \(path).copy \(path)")
    }
  }

  private func requireUnchanged(since version: Version) throws(StorageError) {
    try refuseUse()
    guard Version(path) == version else { throw .inUse(path: path) }
  }

  /// Moves the content of the write-ahead log into the database file. SQLite then removes the log.
  /// - Parameter kept: Another name for the log, for overwriting it later; `nil` for none. A log is never
  ///   overwritten at its own path: SQLite would find a damaged one there after an interruption. An encrypted
  ///   log without a valid header makes the whole store unreadable.
  private func settle(keepingLogAs kept: String? = nil) throws -> Version {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      // If an interrupted transaction left a rollback journal, this read rolls the transaction back.
      _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
      let row = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(FULL)")
      guard let isBusy: Int = row?[0], isBusy == 0 else { throw StorageError.inUse(path: path) }
      if let kept, access(path + "-wal", F_OK) == 0 {
        guard link(path + "-wal", kept) == 0 else {
          throw StorageError.file(operation: "link", path: kept, errno: errno)
        }
      }
      // Fails if another program has opened the file meanwhile.
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
    }
    try queue.close()
    unlink(path + "-shm")
    return Version(path)
  }

  /// Waits until other programs have closed the old file, or the timeout expires. These are usually commands,
  /// which close the file when they end.
  private func waitForReaders(of old: String) {
    var waited = 0
    while waited < Self.readersTimeout, StoreUse.isOpen(old) {
      usleep(UInt32(Self.readersInterval))
      waited += Self.readersInterval
    }
  }

  // MARK: - Leftovers

  /// Removes the files that an interrupted conversion left behind.
  func removeLeftovers() throws(StorageError) {
    for suffix in [Self.encrypting, Self.decrypting] {
      for companion in [""] + Self.companions {
        let file = path + suffix + companion
        if access(file, F_OK) == 0 { try Self.wipe(file) }
      }
    }
    let log = path + Self.unencryptedLog
    if FileIdentity.isSame(path + "-wal", log) {
      unlink(log)
    } else if access(log, F_OK) == 0 {
      try Self.wipe(log)
    }
    let old = path + Self.unencrypted
    guard access(old, F_OK) == 0 else { return }
    guard !removeSecondName() else { return }
    // The interruption may have been before this: without it, a power failure can bring back the old file.
    try StoreFile.sync(path.enclosingFolder)
    try Self.wipe(old)
  }

  /// Removes the second name that the store has at the end of its encryption, and that an interruption
  /// leaves.
  /// - Returns: Whether there was one.
  @discardableResult
  func removeSecondName() -> Bool {
    let old = path + Self.unencrypted
    return FileIdentity.isSame(path, old) && unlink(old) == 0
  }

  /// The paths of unencrypted files with health data that a conversion has left beside the store.
  var readableLeftovers: [String] {
    [Self.decrypting, Self.unencrypted, Self.unencryptedLog].map { path + $0 }
      .filter { access($0, F_OK) == 0 }
  }

  /// The paths of unencrypted stores beside the store whose names begin with its name: those that `hrgate
  /// store restore` kept, and what an interrupted copy left.
  var plainCopies: [String] {
    let folder = path.enclosingFolder
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { "\(folder)/\($0)" }.filter {
      $0.hasPrefix(path + ".") && Self.isPlain($0)
    }
  }

  /// Returns whether a file is an unencrypted SQLite database.
  static func isPlain(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }

  /// Overwrites a file with zeros and removes it. No program may open it meanwhile.
  static func wipe(_ path: String) throws(StorageError) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .file(operation: "open", path: path, errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .notAFile(path: path, isDirectory: false)
    }
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    var offset: off_t = 0
    while offset < status.st_size {
      let count = min(off_t(zeros.count), status.st_size - offset)
      let written = pwrite(descriptor, zeros, Int(count), offset)
      guard written > 0 else { throw .file(operation: "overwrite", path: path, errno: errno) }
      offset += off_t(written)
    }
    guard fsync(descriptor) == 0 else { throw .file(operation: "sync", path: path, errno: errno) }
    guard unlink(path) == 0 else { throw .file(operation: "remove", path: path, errno: errno) }
  }
}
