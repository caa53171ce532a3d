import CEncryptedFiles
import Foundation

/// Encrypts entries and appends them to an inbox. This needs only the public key of the store.
struct InboxWriter {
  /// Maximum number of entries that use the same ephemeral key pair. A key exchange takes longer than the
  /// rest of writing or reading an entry.
  private static let entriesPerKey = 64

  private let file: InboxFile
  private let publicKey: [UInt8]
  private let run: UInt64
  private(set) var head: InboxHead
  /// The offset at which the next entry will be written.
  private var end: UInt64
  /// The public key of the current ephemeral key pair, the secret shared with the store's key pair, and the
  /// number of entries that use them.
  private var agreed: (ephemeral: [UInt8], secret: SecretBytes, entries: Int)?

  /// Opens the inbox of a store, or creates it. A file that is damaged beyond repair, belongs to another
  /// store or has an unknown version is renamed, and a new inbox is created.
  /// - Parameters:
  ///   - owner: The owner of a new inbox, if root creates it for another user.
  ///   - setAside: Called with the reason and the new name of a file that was renamed.
  init(
    at path: String, of store: StoreIdentifier, sealedFor publicKey: [UInt8], for owner: FileOwnership?,
    at time: Date = Date(), setAside: (String, String) -> Void = { _, _ in }
  ) throws {
    self.publicKey = publicKey
    run = UInt64.random(in: 0...UInt64.max)
    if let file = try InboxFile(at: path, forWriting: true) {
      switch Self.head(of: file) {
      case .success(let head) where head.store == store:
        self.file = file
        (self.head, end) = try Self.continued(head, file)
        return
      case .failure(.damaged):
        // Restore the head from the entries, which contain the same information.
        if let head = try Self.restored(store, file) {
          self.file = file
          (self.head, end) = (head, try InboxIndex(file).end)
          try file.cut(at: end)
          try file.write(head.encoded, at: 0)
          return
        }
        setAside("it is damaged", try Self.move(path))
      case .success: setAside("it belongs to another store", try Self.move(path))
      case .failure(.unknownVersion(let version)):
        setAside("a newer version has written it (\(version))", try Self.move(path))
      }
    }
    let head = try InboxHead(of: store, at: UInt64(max(0, time.timeIntervalSince1970)))
    let temporary = path + ".new"
    unlink(temporary)
    let file = try InboxFile(creatingAt: temporary)
    do {
      try file.write(head.encoded, at: 0)
      try file.sync()
      try owner?.give(temporary)
      try StoreFile.move(temporary, to: path)
    } catch {
      unlink(temporary)
      throw error
    }
    try? StoreFile.sync(path.enclosingFolder)
    (self.file, self.head, end) = (file, head, head.end)
  }

  /// Encrypts a body, appends it as an entry, and waits until the entry is on the disk.
  /// - Returns: The number of the entry.
  /// - Throws: `StorageError`, for example if the disk is full. Then nothing was appended.
  mutating func append(_ body: [UInt8]) throws(StorageError) -> UInt64 {
    guard body.count <= InboxFormat.longestBody else {
      throw .encryption("an entry of the inbox has at most \(InboxFormat.longestBody) bytes")
    }
    guard head.lastSequence < InboxFormat.lastSequence else {
      throw .encryption("the inbox is full; unlock the store to empty it")
    }
    let sequence = head.lastSequence + 1
    let entry = try entry(body, sequence)
    do {
      try file.write(entry, at: end)
      try file.sync()
    } catch {
      // The next attempt has the same entry number. With the same key pair, it could encrypt a different body
      // with the same key, so create a new key pair.
      agreed = nil
      try? file.cut(at: end)
      throw error
    }
    end += UInt64(entry.count)
    head.lastSequence = sequence
    head.end = end
    head.digest = try KeyMath.digest(entry)
    // There is no need to sync the head: it refers to an entry that is already on the disk, and an outdated
    // head is updated when the inbox is opened.
    try? file.write(try head.encoded, at: 0)
    return sequence
  }

  private mutating func entry(_ body: [UInt8], _ sequence: UInt64) throws(StorageError) -> [UInt8] {
    let (ephemeral, secret) = try key()
    let header = InboxHeader(
      length: body.count, run: run, sequence: sequence, inbox: head.inbox, previous: head.digest,
      ephemeral: ephemeral
    ).encoded
    let key = try KeyMath.derive(
      from: secret, salt: InboxFormat.salt(ephemeral, publicKey, sequence), purpose: InboxFormat.purpose)
    var sealed = [UInt8](repeating: 0, count: body.count)
    var tag = [UInt8](repeating: 0, count: InboxFormat.tagLength)
    guard
      encrypted_seal(key.start, InboxFormat.nonce, header, header.count, body, body.count, &sealed, &tag)
    else { throw KeyMath.failure }
    return header + sealed + tag
  }

  /// Returns the shared secret for the next entry, and the public key that belongs to it. Creates a new key
  /// pair after ``entriesPerKey`` entries.
  private mutating func key() throws(StorageError) -> (ephemeral: [UInt8], secret: SecretBytes) {
    if let (ephemeral, secret, entries) = agreed, entries < Self.entriesPerKey {
      agreed?.entries += 1
      return (ephemeral, secret)
    }
    let own = try SecretBytes.random(32)
    var ephemeral = [UInt8](repeating: 0, count: 32)
    let secret = try SecretBytes(count: 32)
    guard encrypted_public_key(own.start, &ephemeral),
      encrypted_exchange(own.start, publicKey, secret.start)
    else { throw KeyMath.failure }
    agreed = (ephemeral, secret, 1)
    return (ephemeral, secret)
  }

  // MARK: - Existing inboxes

  static func head(of file: InboxFile) -> Result<InboxHead, InboxHead.ReadError> {
    let bytes = (try? file.bytes(at: 0, count: InboxFormat.headLength)) ?? []
    do throws(InboxHead.ReadError) {
      return .success(try InboxHead(bytes))
    } catch {
      return .failure(error)
    }
  }

  /// Returns the head of an inbox, updated with entries that were written after it, and the offset for the
  /// next entry. Cuts off an incomplete entry at the end of the file, and keeps everything before it: the
  /// reader finds out which entries are damaged.
  private static func continued(
    _ head: InboxHead, _ file: InboxFile
  ) throws(StorageError) -> (InboxHead, UInt64) {
    var head = head
    let size = file.size
    // The file is shorter than its head states, so entries are missing. Keep the number in the head, so that
    // the reader notices the gap.
    guard size >= head.end else {
      let end = try InboxIndex(file).end
      try file.cut(at: end)
      return (head, end)
    }
    // A damaged length may hide other entries within an entry.
    let entries = try InboxIndex.entries(in: file, within: head.end..<size)
    // A damaged or forged number may be higher than the number of entries that fit into these bytes.
    let most = head.lastSequence + (size - head.end) / UInt64(InboxFormat.shortestEntry)
    let later = entries.filter {
      $0.header.inbox == head.inbox && $0.header.sequence > head.lastSequence && $0.header.sequence <= most
    }
    if let last = later.max(by: { ($0.header.sequence, $0.offset) < ($1.header.sequence, $1.offset) }) {
      (head.lastSequence, head.digest) = (last.header.sequence, last.digest)
    }
    head.end = entries.map(\.end).max() ?? head.end
    if head.end < size { try file.cut(at: head.end) }
    return (head, head.end)
  }

  /// Creates the head of an inbox from its entries. Returns `nil` if there are no entries, or if their numbers
  /// are impossible.
  static func restored(_ store: StoreIdentifier, _ file: InboxFile) throws(StorageError) -> InboxHead? {
    let entries = try InboxIndex(file).entries
    guard let last = entries.max(by: { $0.header.sequence < $1.header.sequence }) else { return nil }
    var head = try InboxHead(of: store, at: UInt64(max(0, file.status.st_mtim.tv_sec)))
    (head.inbox, head.lastSequence) = (last.header.inbox, last.header.sequence)
    (head.end, head.digest) = (entries.map(\.end).max() ?? last.end, last.digest)
    return head.isPlausible ? head : nil
  }

  static func unreadablePath(of path: String) -> String { path + "-unreadable" }

  /// Renames a file that cannot be used as an inbox, so that its content is kept.
  /// - Returns: The new path.
  static func move(_ path: String) throws(StorageError) -> String {
    let first = unreadablePath(of: path)
    var kept = first
    var number = 1
    while access(kept, F_OK) == 0 {
      number += 1
      kept = "\(first)-\(number)"
    }
    try StoreFile.move(path, to: kept)
    return kept
  }
}
