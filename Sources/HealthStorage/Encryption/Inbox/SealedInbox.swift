package import Foundation
import Synchronization

/// What a gateway records while its store is locked, sealed with the store's public key. Only the data key
/// opens it.
///
/// The file is beside the store and is removed when everything in it is in the store.
package final class SealedInbox: Sendable {
  package static let suffix = "-inbox"

  /// What can be seen without a key.
  package struct Status: Hashable, Sendable {
    package var entries: Int
    package var bytes: UInt64
    /// When the file was made, and written last.
    package var first: Date
    package var last: Date
  }

  /// How far an inbox was merged into the store.
  package struct Progress: Hashable, Sendable {
    package var inbox: [UInt8]
    /// The last entry whose measurements are in the store.
    package var sequence: UInt64
    /// The last entry after which new heartbeat series began, because the beats until then are in series
    /// that an interrupted merge has stored; 0 if there is none.
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
    /// Files that were found in the place of the inbox and kept under another name.
    var keptAside: [String] = []
  }

  /// - Parameter storePath: The absolute path of a store. The store is not opened.
  /// - Returns: nil if it has no keys, because it is not encrypted.
  /// - Throws: `StorageError` if the key file cannot be read.
  package init?(ofStoreAt storePath: String) throws {
    guard let keys = try KeyFile.read(ofStoreAt: storePath) else { return nil }
    self.storePath = storePath
    path = storePath + Self.suffix
    store = keys.store
    publicKey = keys.publicKey
    gateway = ProgramLock(ofGatewayOfDatabaseAt: storePath)
  }

  /// Makes the caller the only gateway of the store, which it cannot open.
  /// - Throws: `StorageError.gatewayRuns`.
  package func becomeGateway() throws { try gateway.take { .gatewayRuns(process: $0) } }

  package func resignAsGateway() { gateway.giveBack() }

  /// Returns the inbox of an encrypted store that is locked. The store must not be open in this process.
  /// - Returns: nil if it is not encrypted, or unlocked.
  package static func ofLockedStore(at path: String) -> SealedInbox? {
    guard let status = try? StoreEncryption.status(ofStoreAt: path), status.isEncrypted, status.isLocked,
      let location = try? StoreFile.location(path)
    else { return nil }
    return try? SealedInbox(ofStoreAt: location)
  }

  /// Whether the data key is missing in the user's keyring.
  package var isLocked: Bool { (try? Keyring.key(of: store)) == nil }

  package var exists: Bool { access(path, F_OK) == 0 }

  /// Seals and appends a body, durably. The first call creates the file.
  /// - Returns: Its number.
  /// - Throws: `StorageError`. Nothing was appended then.
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

  /// Returns and removes the messages about files that were kept under another name.
  package func takeNotices() -> [String] {
    state.withLock { state in
      defer { state.keptAside.removeAll() }
      return state.keptAside
    }
  }

  /// Reads the inbox.
  /// - Returns: nil if there is none.
  /// - Throws: `StorageError.locked`; `StorageError.encryption` if the file is of another store or version.
  package func reader() throws -> InboxReader? {
    guard let file = try InboxFile(at: path) else { return nil }
    guard let key = try Keyring.key(of: store) else { throw StorageError.locked }
    return try InboxReader(file, of: store, key)
  }

  /// Removes the inbox, after everything in it was stored.
  package func remove() throws {
    try state.withLock { state in
      state.writer = nil
      guard unlink(path) == 0 || errno == ENOENT else {
        throw StorageError.file(operation: "remove", path: path, errno: errno)
      }
      try? StoreFile.sync(path.enclosingFolder)
    }
  }

  /// Keeps an inbox that cannot be read under another name.
  /// - Returns: The name.
  package func setAside() throws -> String {
    try state.withLock { state in
      state.writer = nil
      return try InboxWriter.move(path)
    }
  }

  /// Returns the state of the inbox of a store; nil if there is none.
  package static func status(ofStoreAt path: String) throws -> Status? {
    guard let file = try InboxFile(at: path + suffix) else { return nil }
    let status = file.status
    var first = Date(timeIntervalSince1970: TimeInterval(status.st_ctim.tv_sec))
    if case .success(let head) = InboxWriter.head(of: file) {
      first = Date(timeIntervalSince1970: TimeInterval(head.created))
    }
    return Status(
      entries: try InboxIndex(file).entries.count, bytes: file.size, first: first,
      last: Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec)))
  }
}
