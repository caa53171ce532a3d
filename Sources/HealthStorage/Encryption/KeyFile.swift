import CEncryptedFiles
import Foundation
import Glibc

/// The file next to an encrypted store that contains its data key. It has several slots, as in LUKS. Each
/// slot contains the data key, encrypted with a key that is computed from a passphrase, a key file or the
/// machine.
///
/// The file contains two copies of the same content. Each copy consists of a magic number, the payload's
/// length, the payload, its SHA-256 and random bytes. A damaged copy is ignored.
struct KeyFile: Hashable, Sendable {
  static let suffix = "-keys"
  static let mostSlots = 16
  private static let copyLength = 32_768
  private static let magic = Array("hrgate keys 1\0\0\0".utf8)

  var store: StoreIdentifier
  /// A counter that increases with each change. If the copies differ, the one with the higher value is valid.
  private(set) var sequence: UInt64
  /// The public key of the store. Data encrypted with it can be read only with the data key.
  var publicKey: [UInt8]
  private(set) var slots: [KeySlot]

  static func path(ofStoreAt path: String) -> String { path + suffix }

  /// Creates the keys of a new encrypted store. The key file does not have a slot yet.
  static func create() throws -> (file: KeyFile, dataKey: SecretBytes) {
    let dataKey = try SecretBytes.random(KeySlot.wrappedLength)
    let publicKey = try KeyMath.publicKey(ofDataKey: dataKey)
    let file = KeyFile(store: try .random(), sequence: 1, publicKey: publicKey, slots: [])
    return (file, dataKey)
  }

  // MARK: - Slots

  /// Decrypts the data key with the first slot that accepts the secret. If a slot is damaged, the following
  /// slots are tried, too.
  /// - Throws: If no slot accepts the secret, the first error of a damaged slot; `StorageError.wrongKey` if
  ///   no slot is damaged.
  func open(with secret: KeySecret) throws -> SecretBytes {
    let candidates = slots.filter { $0.kind == secret.kind }
    guard !candidates.isEmpty else {
      throw StorageError.wrongKey(
        "the store has no key of the kind \(secret.kind.name); `hrgate store keys list` lists its keys")
    }
    var failure: (any Error)?
    for slot in candidates {
      do {
        if let key = try slot.open(of: store, with: secret) {
          try requirePublicKey(of: key)
          return key
        }
      } catch {
        failure = failure ?? error
      }
    }
    throw failure ?? StorageError.wrongKey("this \(secret.kind.reference) does not open the store")
  }

  /// Throws if the public key does not belong to the data key. Measurements that are recorded while the store
  /// is locked would then be unreadable for the owner.
  func requirePublicKey(of dataKey: SecretBytes) throws {
    guard try KeyMath.publicKey(ofDataKey: dataKey) == publicKey else {
      throw StorageError.encryption(
        "the key file was changed by another program: its public key does not belong to the store; "
          + "replace it with the key file of a backup of the store")
    }
  }

  mutating func add(_ slot: KeySlot) throws {
    guard !slot.name.isEmpty, slot.name.utf8.count <= 64 else {
      throw StorageError.encryption("the name of a key has 1 to 64 bytes")
    }
    guard !slots.contains(where: { $0.name == slot.name }) else {
      throw StorageError.encryption(
        "there is a key named \(slot.name) already; choose another name")
    }
    guard slots.count < Self.mostSlots else {
      throw StorageError.encryption("a store has at most \(Self.mostSlots) keys; remove one first")
    }
    slots.append(slot)
    sequence += 1
  }

  mutating func removeSlot(named name: String) throws {
    guard let index = slots.firstIndex(where: { $0.name == name }) else {
      throw StorageError.encryption("there is no key named \(name)")
    }
    guard slots.count > 1 else {
      throw StorageError.encryption("\(name) is the only key; add another one before you remove it")
    }
    slots.remove(at: index)
    sequence += 1
  }

  /// Returns a name for a new slot: the name of its kind, with a number if that is already in use.
  func freeName(for kind: KeySlot.Kind) -> String {
    let names = Set(slots.map(\.name))
    guard names.contains(kind.name) else { return kind.name }
    return (2...Self.mostSlots + 1).map { "\(kind.name)-\($0)" }.first { !names.contains($0) }
      ?? kind.name
  }

  // MARK: - The file

  /// Reads the key file of a store.
  /// - Returns: `nil` if there is no key file.
  /// - Throws: `StorageError.encryption` if both copies are damaged.
  static func read(ofStoreAt path: String) throws -> KeyFile? {
    let path = self.path(ofStoreAt: path)
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw StorageError.file(operation: "open", path: path, errno: errno)
    }
    defer { close(descriptor) }
    let copies = (0..<2).compactMap { copy -> KeyFile? in
      var bytes = [UInt8](repeating: 0, count: copyLength)
      let count = pread(descriptor, &bytes, copyLength, off_t(copy * copyLength))
      return KeyFile(copy: bytes.prefix(max(0, count)))
    }
    guard let newest = copies.max(by: { $0.sequence < $1.sequence }) else {
      throw StorageError.encryption(
        "the key file \(path) is damaged; replace it with the key file of a backup of the store")
    }
    return newest
  }

  /// Replaces the key file of a store atomically, so that it survives a power failure.
  /// - Parameter owner: The owner of the file, if root creates it for another user.
  func write(ofStoreAt path: String, for owner: FileOwnership? = nil) throws {
    let copy = try encodedCopy
    let second = try encodedCopy
    try StoreFile.replacing(Self.path(ofStoreAt: path)) { temporary in
      let descriptor = Glibc.open(temporary, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw StorageError.file(operation: "open", path: temporary, errno: errno)
      }
      defer { close(descriptor) }
      let bytes = copy + second
      let count = Glibc.write(descriptor, bytes, bytes.count)
      guard count == bytes.count else {
        throw StorageError.file(
          operation: "write", path: temporary, errno: count < 0 ? errno : ENOSPC)
      }
    } prepare: { temporary in
      try owner?.give(temporary)
    }
  }

  /// Copies a store's key file for a store with another name.
  /// - Returns: Whether there is a key file.
  static func copy(
    ofStoreAt path: String, to kept: String, for owner: FileOwnership? = nil
  ) throws -> Bool {
    let file = self.path(ofStoreAt: path)
    guard access(file, F_OK) == 0 else { return false }
    let bytes = try Data(contentsOf: URL(filePath: file))
    try StoreFile.replacing(self.path(ofStoreAt: kept)) { temporary in
      try bytes.write(to: URL(filePath: temporary))
    } prepare: { temporary in
      try owner?.give(temporary)
    }
    return true
  }

  private var encodedCopy: [UInt8] {
    get throws {
      var payload = KeyFileReader.encoded(sequence) + store.bytes + publicKey + [UInt8(slots.count)]
      for slot in slots { payload += slot.encoded }
      let content = Self.magic + KeyFileReader.encoded(UInt64(payload.count)) + payload
      let copy = try content + KeyMath.digest(content)
      guard copy.count <= Self.copyLength else {
        throw StorageError.encryption("the keys do not fit into the key file; remove one first")
      }
      return try copy + KeyMath.random(Self.copyLength - copy.count)
    }
  }

  private init(store: StoreIdentifier, sequence: UInt64, publicKey: [UInt8], slots: [KeySlot]) {
    (self.store, self.sequence, self.publicKey, self.slots) = (store, sequence, publicKey, slots)
  }

  /// Decodes one of the two copies in the key file.
  /// - Returns: `nil` if the copy is damaged.
  private init?(copy: some Sequence<UInt8>) {
    var reader = KeyFileReader(copy)
    guard reader.bytes(Self.magic.count) == Self.magic, let length = reader.number(),
      let payload = reader.bytes(Int(clamping: length)), let digest = reader.bytes(32)
    else { return nil }
    let content = Self.magic + KeyFileReader.encoded(length) + payload
    guard (try? KeyMath.digest(content)) == digest else { return nil }
    var inner = KeyFileReader(payload)
    // Each change increases the number.
    guard let sequence = inner.number(), sequence < UInt64(Int64.max),
      let store = inner.bytes(StoreIdentifier.length).flatMap({ StoreIdentifier($0) }),
      let publicKey = inner.bytes(32), let count = inner.byte()
    else { return nil }
    var slots: [KeySlot] = []
    for _ in 0..<count {
      guard let slot = KeySlot(from: &inner) else { return nil }
      slots.append(slot)
    }
    self.init(store: store, sequence: sequence, publicKey: publicKey, slots: slots)
  }
}

extension KeySlot.Kind {
  /// The name of the kind of secret in messages.
  fileprivate var reference: String {
    switch self {
    case .passphrase: "passphrase"
    case .keyFile: "key file"
    case .systemd: "machine"
    }
  }
}
