import CEncryptedFiles
package import Foundation

/// Encrypts and decrypts stores, manages their keys, and locks and unlocks them.
package enum StoreEncryption {
  /// A slot of the key file, as commands show it.
  package struct Slot: Hashable, Sendable {
    package var name: String
    /// The kind of secret: `passphrase`, `key-file` or `systemd-creds`.
    package var kind: String
    package var created: Date
  }

  package struct Status: Hashable, Sendable {
    package var isEncrypted: Bool
    /// Whether the store cannot be read because its data key is not in the user's keyring. `false` if the
    /// store is not encrypted.
    package var isLocked: Bool
    package var slots: [Slot]
    /// A message for the user: why the key file or the keyring cannot be used, or which unencrypted file is
    /// left from a conversion.
    package var problem: String?
  }

  // MARK: - State

  /// Returns whether a store is encrypted and locked, without opening it.
  package static func status(ofStoreAt path: String) throws -> Status {
    let path = try existing(path)
    guard let store = try EncryptedFiles.store(at: path) else {
      return Status(isEncrypted: false, isLocked: false, slots: [])
    }
    var status = Status(isEncrypted: true, isLocked: true, slots: [])
    do {
      status.isLocked = try Keyring.key(of: store) == nil
      status.slots = try keys(of: store, at: path).slots.map(Slot.init)
    } catch let failure as StorageError {
      status.problem = failure.description
    }
    if status.problem == nil, let leftover = StoreConversion(path).readableLeftovers.first {
      status.problem =
        "\(leftover) is left from an interrupted command and is not encrypted; `hrgate store unlock` removes it"
    }
    if status.problem == nil, let copy = StoreConversion(path).plainCopies.first {
      status.problem = "\(copy) is a copy that is not encrypted; delete it, or keep it in a safe place"
    }
    return status
  }

  /// Returns the path of the key file of an encrypted store.
  package static func keyFile(ofStoreAt path: String) -> String { KeyFile.path(ofStoreAt: path) }

  /// Adds the data key to the user's keyring.
  /// - Parameter timeout: The time in seconds until the store is locked again; 0 for never.
  /// - Throws: `StorageError.wrongKey` if no slot has the secret.
  package static func unlock(_ path: String, with secret: KeySecret, timeout: UInt32 = 0) throws {
    let path = try existing(path)
    let store = try encrypted(path)
    try Keyring.add(try keys(of: store, at: path).open(with: secret), of: store, timeout: timeout)
    try? OpeningLock.held(forDatabaseAt: path) { try StoreConversion(path).removeLeftovers() }
  }

  /// Locks a store by removing its data key from the user's keyring. If a program has the store open, its
  /// next transaction fails.
  /// - Returns: Whether the store was unlocked.
  package static func lock(_ path: String) throws -> Bool {
    try Keyring.revoke(try encrypted(try existing(path)))
  }

  // MARK: - Conversion

  /// Encrypts a store in place. Afterwards it is unlocked.
  /// - Parameter cost: The scrypt parameter N for a passphrase; `nil` for the default.
  /// - Throws: `StorageError`, such as `.inUse` or `.gatewayRuns` if a program has the store open. The store
  ///   is then unchanged.
  package static func encrypt(
    _ path: String, with secret: KeySecret, named name: String? = nil, timeout: UInt32 = 0,
    cost: UInt64? = nil
  ) throws {
    let path = try existing(path)
    try StoreConversion(path).exclusively { conversion in
      guard try EncryptedFiles.store(at: path) == nil else {
        throw StorageError.encryption("\(path) is encrypted already")
      }
      var (keys, dataKey) = try KeyFile.create()
      let slot = try KeySlot(
        name ?? secret.kind.name, dataKey, of: keys.store, with: secret, cost: cost ?? KeySlot.cost)
      try keys.add(slot)
      // Add the key to the keyring first. If this fails, the store stays unencrypted, because no program
      // could use it without a keyring.
      try Keyring.add(dataKey, of: keys.store, timeout: timeout)
      var hasKeyFile = false
      do {
        try conversion.encrypt(keys.store, dataKey) {
          // Write the key file just before the encrypted file gets the store's name: an encrypted store must
          // never be without keys. Do not write it earlier, because an existing key file beside a damaged
          // store may be needed to repair the store.
          try keys.write(ofStoreAt: path, for: FileOwnership(of: path))
          hasKeyFile = true
        }
      } catch {
        _ = try? Keyring.revoke(keys.store)
        if hasKeyFile { unlink(KeyFile.path(ofStoreAt: path)) }
        throw error
      }
    }
  }

  /// Decrypts a store in place.
  /// - Parameter secret: A secret of the store, needed only if it is locked.
  package static func decrypt(_ path: String, with secret: KeySecret? = nil) throws {
    let path = try existing(path)
    try StoreConversion(path).exclusively { conversion in
      // If an earlier command was interrupted, the file is decrypted, and only the keys are left.
      let isDecrypted = StoreConversion.isPlain(path)
      let store = try isDecrypted ? KeyFile.read(ofStoreAt: path)?.store : encrypted(path)
      guard let store else { throw notEncrypted(path) }
      guard access(SealedInbox.path(ofStoreAt: path), F_OK) != 0 else {
        throw StorageError.encryption(
          "measurements that were recorded while the store was locked are not stored yet, and would be "
            + "unreadable without its keys; store them first: `hrgate store unlock`")
      }
      if let kept = try SealedInbox.unreadable(ofStoreAt: path).first {
        throw StorageError.encryption(
          "\(kept) has measurements that could not be read, and only the keys of the store can ever read them; "
            + "move the file away together with a copy of \(KeyFile.path(ofStoreAt: path)), or delete it")
      }
      if !isDecrypted {
        let key = try dataKey(of: store, at: path, with: secret)
        try Keyring.withHeld(key, of: store) { try conversion.decrypt() }
      }
      unlink(KeyFile.path(ofStoreAt: path))
      // Without a keyring, there is no key to remove.
      _ = try? Keyring.revoke(store)
    }
  }

  // MARK: - Keys

  /// Adds a slot for another secret to the key file.
  /// - Parameter existing: A secret of another slot, needed only if the store is locked.
  /// - Returns: The name of the slot.
  package static func addKey(
    _ secret: KeySecret, named name: String? = nil, to path: String, unlockedWith existing: KeySecret? = nil,
    cost: UInt64? = nil
  ) throws -> String {
    let path = try self.existing(path)
    let store = try encrypted(path)
    let key = try dataKey(of: store, at: path, with: existing)
    // Create the slot before taking the lock, because scrypt takes a fraction of a second, and systemd-creds
    // can take longer.
    var slot = try KeySlot(
      name ?? secret.kind.name, key, of: store, with: secret, cost: cost ?? KeySlot.cost)
    try changeKeys(of: store, at: path) { keys in
      if name == nil { slot.name = keys.freeName(for: secret.kind) }
      try keys.add(slot)
    }
    return slot.name
  }

  /// Removes a slot from the key file. Throws for the last slot.
  package static func removeKey(named name: String, from path: String) throws {
    let path = try existing(path)
    try changeKeys(of: try encrypted(path), at: path) { try $0.removeSlot(named: name) }
  }

  /// Changes the key file while no other program changes it, or encrypts or decrypts the store.
  private static func changeKeys(
    of store: StoreIdentifier, at path: String, _ change: (inout KeyFile) throws -> Void
  ) throws {
    try OpeningLock.held(forDatabaseAt: path) {
      var keys = try keys(of: store, at: path)
      try change(&keys)
      try keys.write(ofStoreAt: path, for: FileOwnership(of: path))
    }
  }

  /// Creates a file of random bytes that only its owner can read. The user can use it as a secret.
  package static func makeKeyFile(_ path: String, count: Int) throws {
    let secret = try SecretBytes.random(count)
    try StoreFile.replacing(path) { temporary in
      let descriptor = open(temporary, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw StorageError.file(operation: "open", path: temporary, errno: errno)
      }
      defer { close(descriptor) }
      guard write(descriptor, secret.start, secret.count) == secret.count else {
        throw StorageError.file(operation: "write", path: temporary, errno: errno)
      }
    }
  }

  // MARK: - Parts

  /// Returns the absolute path of an existing file.
  private static func existing(_ path: String) throws(StorageError) -> String {
    guard access(path, F_OK) == 0 else { throw .file(operation: "open", path: path, errno: errno) }
    try StoreFile.requireFile(at: path)
    return try StoreFile.location(path)
  }

  private static func encrypted(_ path: String) throws(StorageError) -> StoreIdentifier {
    guard let store = try EncryptedFiles.store(at: path) else {
      throw notEncrypted(path)
    }
    return store
  }

  private static func notEncrypted(_ path: String) -> StorageError {
    .encryption("\(path) is not encrypted; `hrgate store encrypt` encrypts it")
  }

  static func keys(of store: StoreIdentifier, at path: String) throws -> KeyFile {
    let file = KeyFile.path(ofStoreAt: path)
    guard let keys = try KeyFile.read(ofStoreAt: path) else {
      throw StorageError.encryption("the key file \(file) is missing; copy it from a backup of the store")
    }
    guard keys.store == store else {
      throw StorageError.encryption(
        "\(file) has the keys of another store; replace it with the key file of a backup of this store")
    }
    return keys
  }

  private static func dataKey(
    of store: StoreIdentifier, at path: String, with secret: KeySecret?
  ) throws -> SecretBytes {
    if let secret { return try keys(of: store, at: path).open(with: secret) }
    guard let key = try Keyring.key(of: store) else { throw StorageError.locked }
    try keys(of: store, at: path).requirePublicKey(of: key)
    return key
  }
}

extension StoreEncryption.Slot {
  init(_ slot: KeySlot) {
    self.init(
      name: slot.name, kind: slot.kind.name, created: Date(timeIntervalSince1970: TimeInterval(slot.created)))
  }
}

/// Encrypts a copy of an encrypted store, with the same data key. The copy gets a copy of the key file.
struct CopyEncryption {
  let store: StoreIdentifier
  private let key: SecretBytes
  private let keys: KeyFile

  /// - Returns: `nil` if the store is not encrypted.
  /// - Throws: `StorageError.locked`.
  init?(ofStoreAt path: String) throws {
    guard let store = try Self.identifier(ofStoreAt: path) else { return nil }
    guard let key = try Keyring.key(of: store) else { throw StorageError.locked }
    self.store = store
    self.key = key
    keys = try StoreEncryption.keys(of: store, at: path)
  }

  /// Returns the identifier of an encrypted store; `nil` if it is not encrypted. If the header is damaged,
  /// the identifier is taken from the key file, so that a backup that replaces the store is encrypted, too.
  private static func identifier(ofStoreAt path: String) throws -> StoreIdentifier? {
    do {
      return try EncryptedFiles.store(at: path)
    } catch StorageError.unrecognisable {
      guard let keys = try KeyFile.read(ofStoreAt: path) else {
        throw StorageError.unrecognisable(path: path)
      }
      return keys.store
    }
  }

  /// Turns an empty file into an encrypted database without content.
  func prepare(_ copy: String) throws { try EncryptedFiles.create(at: copy, of: store, with: key) }

  func writeKeys(ofCopyAt copy: String, for owner: FileOwnership? = nil) throws {
    try keys.write(ofStoreAt: copy, for: owner)
  }
}
