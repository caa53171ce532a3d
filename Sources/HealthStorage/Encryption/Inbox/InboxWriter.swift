import CEncryptedFiles
import Foundation

/// Appends entries to an inbox. Needs no secret.
struct InboxWriter {
  /// The number of entries with one ephemeral key pair. A new one costs more than the rest of an entry, for
  /// the writer and for the reader.
  private static let entriesPerKey = 64

  private let file: InboxFile
  private let publicKey: [UInt8]
  private let run: UInt64
  private(set) var head: InboxHead
  /// The offset for the next entry.
  private var end: UInt64
  /// The current key pair's public key and the secret that was agreed with the store's public key.
  private var agreed: (ephemeral: [UInt8], secret: SecretBytes, entries: Int)?

  /// Opens or creates the inbox of a store. Another file of that name, or one of an unknown version, is kept
  /// under another name.
  /// - Parameters:
  ///   - owner: The owner of the store's file, for a new inbox that root makes.
  ///   - setAside: Called with the reason and the new name of a file that is no inbox of this store.
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
        // The entries have everything that the head has.
        if let head = try Self.restored(store, file) {
          self.file = file
          (self.head, end) = (head, try InboxIndex(file).end)
          try file.cut(at: end)
          try file.write(head.encoded, at: 0)
          return
        }
        setAside("it is damaged", try Self.move(path))
      case .success: setAside("it is of another store", try Self.move(path))
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

  /// Seals and appends a body, durably.
  /// - Returns: Its number.
  /// - Throws: `StorageError`, for example if the disk is full. Nothing is appended then.
  mutating func append(_ body: [UInt8]) throws(StorageError) -> UInt64 {
    guard body.count <= InboxFormat.longestBody else {
      throw .encryption("an entry of the inbox has at most \(InboxFormat.longestBody) bytes")
    }
    let sequence = head.lastSequence + 1
    let entry = try entry(body, sequence)
    do {
      try file.write(entry, at: end)
      try file.sync()
    } catch {
      // The same number must never be sealed with the same key again.
      agreed = nil
      try? file.cut(at: end)
      throw error
    }
    end += UInt64(entry.count)
    head.lastSequence = sequence
    head.end = end
    head.digest = try KeyMath.digest(entry)
    // Not synced: it never names an entry that is not on the disk.
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

  /// The secret for the next entry, with its public key.
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

  // MARK: - An inbox that exists

  static func head(of file: InboxFile) -> Result<InboxHead, InboxHead.ReadError> {
    let bytes = (try? file.bytes(at: 0, count: InboxFormat.headLength)) ?? []
    do throws(InboxHead.ReadError) {
      return .success(try InboxHead(bytes))
    } catch {
      return .failure(error)
    }
  }

  /// Returns the head and the end of an inbox, with the entries after the ones that its head knows. The
  /// beginning of an entry that was interrupted is cut off.
  private static func continued(
    _ head: InboxHead, _ file: InboxFile
  ) throws(StorageError) -> (InboxHead, UInt64) {
    var head = head
    let size = file.size
    // Entries are missing. The next one is appended all the same, so that the reader finds out which.
    guard size >= head.end else {
      let end = try InboxIndex(file).end
      try file.cut(at: end)
      return (head, end)
    }
    for entry in try InboxIndex(file, from: head.end).entries {
      guard entry.offset == head.end, entry.header.sequence == head.lastSequence + 1,
        entry.header.previous == head.digest
      else { break }
      (head.lastSequence, head.digest, head.end) = (entry.header.sequence, entry.digest, entry.end)
    }
    if head.end < size { try file.cut(at: head.end) }
    return (head, head.end)
  }

  /// Returns a head for an inbox with entries, from its entries.
  static func restored(_ store: StoreIdentifier, _ file: InboxFile) throws(StorageError) -> InboxHead? {
    let entries = try InboxIndex(file).entries
    guard let last = entries.max(by: { $0.header.sequence < $1.header.sequence }) else { return nil }
    var head = try InboxHead(of: store, at: UInt64(max(0, file.status.st_mtim.tv_sec)))
    (head.inbox, head.lastSequence) = (last.header.inbox, last.header.sequence)
    (head.end, head.digest) = (entries.map(\.end).max() ?? last.end, last.digest)
    return head
  }

  /// Keeps a file under another name.
  /// - Returns: The name.
  static func move(_ path: String) throws(StorageError) -> String {
    var kept = path + "-unreadable"
    var number = 1
    while access(kept, F_OK) == 0 {
      number += 1
      kept = path + "-unreadable-\(number)"
    }
    try StoreFile.move(path, to: kept)
    return kept
  }
}
