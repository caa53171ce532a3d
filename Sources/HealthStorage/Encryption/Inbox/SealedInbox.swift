package import Foundation
import Synchronization

/// The file to which a gateway writes measurements while its encrypted store is locked. They are encrypted
/// with the store's public key, and can be read only with its data key.
///
/// The file is next to the store. It is removed when all its measurements are in the store.
package final class SealedInbox: Sendable {
  package static let suffix = "-inbox"

  /// The information about an inbox that is available without a key.
  package struct Status: Hashable, Sendable {
    /// The number of entries, according to the head as far as it is current.
    package var entries: Int
    package var bytes: UInt64
    /// When the file was created (`first`) and last written (`last`).
    package var first: Date
    package var last: Date
  }

  /// How far an inbox was merged into the store.
  package struct Progress: Hashable, Sendable {
    package var inbox: [UInt8]
    /// The number of the last entry whose measurements are in the store.
    package var sequence: UInt64
    /// The number of the last entry after which the merge ended all heartbeat series; 0 if it ended none.
    /// When an interrupted merge continues, it replays the entries up to ``sequence``, and must end the
    /// series after the same entry.
    package var seriesEnd: UInt64

    package init(inbox: [UInt8], sequence: UInt64, seriesEnd: UInt64 = 0) {
      (self.inbox, self.sequence, self.seriesEnd) = (inbox, sequence, seriesEnd)
    }
  }

  package let path: String
  private let storePath: String
  private let store: StoreIdentifier
  private let publicKey: [UInt8]
  private let gateway: ProgramLock
  private let state = Mutex(State())

  private struct State {
    var writer: InboxWriter?
    /// Messages about files that were at the path of the inbox but could not be used, and were renamed.
    var keptAside: [String] = []
  }

  /// - Parameter storePath: The absolute path of a store. The store is not opened.
  /// - Returns: `nil` if the store has no key file, because it is not encrypted.
  /// - Throws: `StorageError` if the key file cannot be read.
  package init?(ofStoreAt storePath: String) throws {
    guard let keys = try KeyFile.read(ofStoreAt: storePath) else { return nil }
    self.storePath = storePath
    path = Self.path(ofStoreAt: storePath)
    store = keys.store
    publicKey = keys.publicKey
    gateway = ProgramLock(ofGatewayOfDatabaseAt: storePath)
  }

  /// Takes the gateway lock of the store, which only one gateway can hold. The store need not be unlocked.
  /// - Throws: `StorageError.gatewayRuns`.
  package func becomeGateway() throws { try gateway.take { .gatewayRuns(process: $0) } }

  package func resignAsGateway() { gateway.release() }

  /// Keeps the lock of the gateway for the next gateway of this process on the same store. Otherwise, `hrgate
  /// store unlock` could take it in between to merge the inbox, and the next gateway would fail.
  package func handOverGateway() { gateway.handOver() }

  /// Releases a lock that was handed over, if no gateway has taken it.
  package func resignHandedOver() { gateway.releaseHandedOver() }

  /// Returns the inbox of an encrypted store that is locked. The store must not be open in this process.
  /// - Returns: `nil` if the store is not encrypted, or is unlocked.
  package static func ofLockedStore(at path: String) -> SealedInbox? {
    guard let status = try? StoreEncryption.status(ofStoreAt: path), status.isEncrypted, status.isLocked,
      let location = try? StoreFile.location(path)
    else { return nil }
    return try? SealedInbox(ofStoreAt: location)
  }

  /// Whether the store is locked: its data key is not in the user's keyring.
  package var isLocked: Bool { (try? Keyring.key(of: store)) == nil }

  /// Returns whether a merge of this inbox was interrupted after its first commit.
  package func isPartlyMerged(_ progress: Progress?) -> Bool {
    guard let progress, let file = try? InboxFile(at: path),
      case .success(let head) = InboxWriter.head(of: file)
    else { return false }
    return head.inbox == progress.inbox
  }

  static func path(ofStoreAt path: String) -> String { path + suffix }

  /// Returns the paths of inboxes that could not be read, and were therefore renamed and kept.
  static func unreadable(ofStoreAt path: String) throws(StorageError) -> [String] {
    let first = InboxWriter.unreadablePath(of: self.path(ofStoreAt: path))
    let folder = path.enclosingFolder
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw .file(operation: "read", path: folder, errno: errno)
    }
    return names.sorted().map { folder + "/" + $0 }.filter { $0.hasPrefix(first) }
  }

  package var exists: Bool { access(path, F_OK) == 0 }

  /// Encrypts a body, appends it as an entry, and waits until the entry is on the disk. The first call
  /// creates the file if it is missing.
  /// - Returns: The number of the entry.
  /// - Throws: `StorageError`. Then nothing was appended.
  package func append(_ body: [UInt8]) throws -> UInt64 {
    try state.withLock { state in
      if state.writer == nil {
        var kept: [String] = []
        let writer = try InboxWriter(
          at: path, of: store, sealedFor: publicKey, for: FileOwnership(of: storePath)
        ) { reason, name in
          kept.append("\(path) was not used, because \(reason). It is now \(name)")
        }
        state.keptAside += kept
        state.writer = writer
      }
      guard let number = try state.writer?.append(body) else { throw StorageError.damagedRow }
      return number
    }
  }

  /// Returns and removes the messages about files that could not be used as an inbox and were renamed.
  package func drainNotices() -> [String] {
    state.withLock { state in
      defer { state.keptAside.removeAll() }
      return state.keptAside
    }
  }

  /// Opens the inbox for reading.
  /// - Returns: `nil` if there is no inbox.
  /// - Throws: `StorageError.locked`; `StorageError.encryption` if the file is of another store or version.
  package func reader() throws -> InboxReader? {
    guard let file = try InboxFile(at: path) else { return nil }
    guard let key = try Keyring.key(of: store) else { throw StorageError.locked }
    return try InboxReader(file, of: store, key)
  }

  /// Removes the inbox. Call it after all its measurements were stored.
  package func remove() throws {
    try state.withLock { state in
      state.writer = nil
      guard unlink(path) == 0 || errno == ENOENT else {
        throw StorageError.file(operation: "remove", path: path, errno: errno)
      }
      try? StoreFile.sync(path.enclosingFolder)
    }
  }

  /// Renames an inbox that cannot be read, so that its content is kept.
  /// - Returns: The new path.
  package func setAside() throws -> String {
    try state.withLock { state in
      state.writer = nil
      return try InboxWriter.move(path)
    }
  }

  /// Returns the state of the inbox of a store; `nil` if there is no inbox.
  package static func status(ofStoreAt path: String) throws -> Status? {
    guard let file = try InboxFile(at: path + suffix) else { return nil }
    let status = file.status
    var first = Date(timeIntervalSince1970: TimeInterval(status.st_ctim.tv_sec))
    var entries: Int?
    if case .success(let head) = InboxWriter.head(of: file) {
      first = Date(timeIntervalSince1970: TimeInterval(head.created))
      // Reading a whole inbox of weeks takes seconds.
      if head.end <= file.size {
        entries = try Int(clamping: head.lastSequence) + InboxIndex(file, from: head.end).entries.count
      }
    }
    return Status(
      entries: try entries ?? InboxIndex(file).entries.count, bytes: file.size, first: first,
      last: Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec)))
  }
}
