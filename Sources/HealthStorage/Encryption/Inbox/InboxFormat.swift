import Foundation

/// The file format of an inbox: a head of fixed size, then entries without gaps between them. An entry is a
/// header, an encrypted body and an authentication tag.
///
/// Numbers are little-endian. Only the bodies are encrypted, with AES-256-GCM. The key of a body is derived
/// with HKDF from an X25519 shared secret, computed from a random key pair and the store's public key. The
/// header is authenticated together with the body. It contains the ID of the inbox, the number of the entry
/// and the digest of the previous entry, so an entry is valid only at its position.
enum InboxFormat {
  static let version: UInt32 = 1
  /// A number that no entry reaches. It leaves room for additions, and can be stored as an `Int64`.
  static let lastSequence = UInt64(1) << 62
  static let headLength = 256
  static let headerLength = 112
  static let tagLength = 16
  static let shortestEntry = headerLength + tagLength
  static let identifierLength = 16
  static let digestLength = 32
  /// Maximum length of a body in bytes. A header with a greater length counts as damaged.
  static let longestBody = 16 << 20
  static let headMagic = Array("hrgate inbox\0\0\0\0".utf8)
  static let entryMagic = Array("HRie".utf8)
  /// The nonce can be constant, because each entry is encrypted with a key of its own.
  static let nonce = [UInt8](repeating: 0, count: 12)
  static let purpose = "hrgate inbox entry 1"

  /// Returns the HKDF salt for the key of an entry.
  static func salt(_ ephemeral: [UInt8], _ store: [UInt8], _ sequence: UInt64) -> [UInt8] {
    ephemeral + store + KeyFileReader.encoded(sequence)
  }

  static func encoded(_ number: UInt32) -> [UInt8] { Array(KeyFileReader.encoded(UInt64(number)).prefix(4)) }
}

/// The head of an inbox file. It contains the number and the digest of the last entry, which show whether
/// entries are missing at the end. It is not authenticated: any program that can write to the file can also
/// change the head.
struct InboxHead: Hashable, Sendable {
  var store: StoreIdentifier
  /// A random identifier of this inbox.
  var inbox: [UInt8]
  /// When the inbox was made, in seconds since 1970.
  var created: UInt64
  var lastSequence: UInt64
  /// The offset of the end of the last entry.
  var end: UInt64
  /// The digest of the last entry; ``origin(_:_:)`` if there are no entries. The next entry will contain it.
  var digest: [UInt8]

  /// Makes the head of a new inbox.
  init(of store: StoreIdentifier, at time: UInt64) throws(StorageError) {
    self.store = store
    inbox = try KeyMath.random(InboxFormat.identifierLength)
    created = time
    lastSequence = 0
    end = UInt64(InboxFormat.headLength)
    digest = try Self.origin(store, inbox)
  }

  enum ReadError: Error, Hashable {
    case damaged
    case unknownVersion(UInt32)
  }

  init(_ bytes: [UInt8]) throws(ReadError) {
    var reader = KeyFileReader(bytes)
    guard reader.bytes(InboxFormat.headMagic.count) == InboxFormat.headMagic, let version = reader.number32()
    else { throw .damaged }
    guard version == InboxFormat.version else { throw .unknownVersion(version) }
    guard let store = reader.bytes(StoreIdentifier.length).flatMap({ StoreIdentifier($0) }),
      let inbox = reader.bytes(InboxFormat.identifierLength), let created = reader.number(),
      let lastSequence = reader.number(), let end = reader.number(),
      let digest = reader.bytes(InboxFormat.digestLength),
      let check = reader.bytes(InboxFormat.digestLength)
    else { throw .damaged }
    (self.store, self.inbox, self.created) = (store, inbox, created)
    (self.lastSequence, self.end, self.digest) = (lastSequence, end, digest)
    guard (try? KeyMath.digest(content)) == check, isPlausible else { throw .damaged }
  }

  /// Whether entries can be appended after this head. Any program can write a head with a valid digest.
  var isPlausible: Bool {
    lastSequence < InboxFormat.lastSequence && end >= UInt64(InboxFormat.headLength)
      && end <= UInt64(Int64.max)
  }

  private var content: [UInt8] {
    InboxFormat.headMagic + InboxFormat.encoded(InboxFormat.version) + store.bytes + inbox
      + KeyFileReader.encoded(created) + KeyFileReader.encoded(lastSequence) + KeyFileReader.encoded(end)
      + digest
  }

  var encoded: [UInt8] {
    get throws(StorageError) {
      let bytes = try content + KeyMath.digest(content)
      return bytes + [UInt8](repeating: 0, count: InboxFormat.headLength - bytes.count)
    }
  }

  /// Returns the value that the first entry contains instead of the digest of a previous entry.
  static func origin(_ store: StoreIdentifier, _ inbox: [UInt8]) throws(StorageError) -> [UInt8] {
    try KeyMath.digest(store.bytes + inbox)
  }
}

/// The unencrypted header of an entry.
struct InboxHeader: Hashable, Sendable {
  /// The length of the sealed body in bytes, without the tag.
  var length: Int
  /// A random number that identifies the run of the gateway that wrote the entry.
  var run: UInt64
  /// The number of the entry in its inbox, starting at 1.
  var sequence: UInt64
  var inbox: [UInt8]
  /// The SHA-256 of the whole previous entry; ``InboxHead/origin(_:_:)`` in the first entry.
  var previous: [UInt8]
  /// The public key of the random key pair from which the key of the body is derived.
  var ephemeral: [UInt8]

  /// The length of the whole entry in bytes: header, body and tag.
  var entryLength: Int { InboxFormat.headerLength + length + InboxFormat.tagLength }

  init(length: Int, run: UInt64, sequence: UInt64, inbox: [UInt8], previous: [UInt8], ephemeral: [UInt8]) {
    (self.length, self.run, self.sequence, self.inbox) = (length, run, sequence, inbox)
    (self.previous, self.ephemeral) = (previous, ephemeral)
  }

  /// - Returns: `nil` if the bytes are not a header of this version.
  init?(_ bytes: some Sequence<UInt8>) {
    var reader = KeyFileReader(bytes)
    guard reader.bytes(InboxFormat.entryMagic.count) == InboxFormat.entryMagic,
      reader.number32() == InboxFormat.version, let length = reader.number(), let run = reader.number(),
      let sequence = reader.number(), let inbox = reader.bytes(InboxFormat.identifierLength),
      let previous = reader.bytes(InboxFormat.digestLength), let ephemeral = reader.bytes(32),
      length <= InboxFormat.longestBody, (1..<InboxFormat.lastSequence).contains(sequence)
    else { return nil }
    self.init(
      length: Int(length), run: run, sequence: sequence, inbox: inbox, previous: previous,
      ephemeral: ephemeral)
  }

  var encoded: [UInt8] {
    InboxFormat.entryMagic + InboxFormat.encoded(InboxFormat.version)
      + KeyFileReader.encoded(UInt64(length)) + KeyFileReader.encoded(run)
      + KeyFileReader.encoded(sequence) + inbox + previous + ephemeral
  }
}

extension KeyFileReader {
  mutating func number32() -> UInt32? {
    bytes(4)?.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
