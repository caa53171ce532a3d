package import Foundation
import HealthKit
import HealthStorage

/// Encryption of a store: encrypting, decrypting, locking, unlocking and managing keys.
package enum StoreVault {
  /// A key slot: one of several secrets that can unlock the store.
  package struct Slot: Hashable, Sendable {
    package var name: String
    /// The kind of secret: `passphrase`, `key-file` or `systemd-creds`.
    package var kind: String
    package var created: Date
  }

  /// The file in which a gateway has recorded measurements while the store was locked.
  package struct Inbox: Hashable, Sendable {
    package var entries = 0
    package var bytes: UInt64 = 0
    /// When the file was created (`first`) and last written (`last`); nil if there is no file.
    package var first: Date?
    package var last: Date?
  }

  package struct Status: Hashable, Sendable {
    package var isEncrypted: Bool
    package var isLocked: Bool
    package var slots: [Slot]
    package var inbox = Inbox()
    /// A message for the user: why the key file or the keyring cannot be used, or which unencrypted file is
    /// left from a conversion.
    package var problem: String?
  }

  /// Returns whether a store is encrypted and whether it is locked, without opening it.
  /// - Throws: `HKError` if there is no such file.
  package static func status(_ path: String) throws -> Status {
    let status = try HKError.translating { try StoreEncryption.status(ofStoreAt: path) }
    let sealed = try HKError.translating { try SealedInbox.status(ofStoreAt: path) }
    return Status(
      isEncrypted: status.isEncrypted, isLocked: status.isLocked,
      slots: status.slots.map { Slot(name: $0.name, kind: $0.kind, created: $0.created) },
      inbox: sealed.map { Inbox(entries: $0.entries, bytes: $0.bytes, first: $0.first, last: $0.last) }
        ?? Inbox(), problem: status.problem)
  }

  /// Returns the path of the key file of an encrypted store. The keys in this file are encrypted.
  package static func keyFile(of path: String) -> String { StoreEncryption.keyFile(ofStoreAt: path) }

  /// Encrypts a store in place. No program may have it open. Afterwards it is unlocked.
  /// - Parameter timeout: The time in seconds until the store is locked again; 0 for never.
  package static func encrypt(_ path: String, with secret: StoreSecret, timeout: UInt32 = 0) throws {
    try HKError.translating {
      try StoreEncryption.encrypt(path, with: secret.secret, timeout: timeout)
    }
  }

  /// Decrypts a store in place.
  /// - Parameter secret: A secret of the store. It is needed only if the store is locked.
  package static func decrypt(_ path: String, with secret: StoreSecret? = nil) throws {
    try HKError.translating { try StoreEncryption.decrypt(path, with: secret?.secret) }
  }

  /// Unlocks a store, so that the user's programs can open it.
  /// - Parameter timeout: Seconds until the store is locked again; 0 for never.
  package static func unlock(_ path: String, with secret: StoreSecret, timeout: UInt32 = 0) throws {
    try HKError.translating { try StoreEncryption.unlock(path, with: secret.secret, timeout: timeout) }
  }

  /// Locks a store. Programs that have it open lose access too.
  /// - Returns: Whether the store was unlocked before.
  package static func lock(_ path: String) throws -> Bool {
    try HKError.translating { try StoreEncryption.lock(path) }
  }

  /// Adds a key slot to an unlocked store.
  /// - Parameter name: The name of the slot. The default is the kind of the secret, followed by a number if
  ///   that name is taken.
  /// - Returns: The name of the slot.
  package static func addKey(_ secret: StoreSecret, named name: String? = nil, to path: String) throws
    -> String
  {
    try HKError.translating { try StoreEncryption.addKey(secret.secret, named: name, to: path) }
  }

  /// Removes a key slot. The last slot cannot be removed.
  package static func removeKey(named name: String, from path: String) throws {
    try HKError.translating { try StoreEncryption.removeKey(named: name, from: path) }
  }
}
