package import Foundation
import HealthKit
import HealthStorage

/// Encryption of a store: conversion, keys, and whether the store is locked.
package enum StoreVault {
  /// A key slot.
  package struct Slot: Hashable, Sendable {
    package var name: String
    /// `passphrase`, `key-file` or `systemd-creds`.
    package var kind: String
    package var created: Date
  }

  package struct Status: Hashable, Sendable {
    package var isEncrypted: Bool
    package var isLocked: Bool
    package var slots: [Slot]
    /// Why the key file or the keyring cannot be used.
    package var problem: String?
  }

  /// Returns whether a store is encrypted and locked. Does not open it.
  /// - Throws: `HKError` if there is no such file.
  package static func status(_ path: String) throws -> Status {
    let status = try HKError.translating { try StoreEncryption.status(ofStoreAt: path) }
    return Status(
      isEncrypted: status.isEncrypted, isLocked: status.isLocked,
      slots: status.slots.map { Slot(name: $0.name, kind: $0.kind, created: $0.created) },
      problem: status.problem)
  }

  /// Encrypts a store that no program has open, in place. It is unlocked afterwards.
  /// - Parameter timeout: When it is locked again, in seconds; 0 for never.
  package static func encrypt(_ path: String, with secret: StoreSecret, timeout: UInt32 = 0) throws {
    try HKError.translating {
      try StoreEncryption.encrypt(path, with: secret.secret, timeout: timeout)
    }
  }

  /// Reverts `encrypt`.
  /// - Parameter secret: Needed if the store is locked.
  package static func decrypt(_ path: String, with secret: StoreSecret? = nil) throws {
    try HKError.translating { try StoreEncryption.decrypt(path, with: secret?.secret) }
  }

  /// Lets the user's programs open the store.
  /// - Parameter timeout: When it is locked again, in seconds; 0 for never.
  package static func unlock(_ path: String, with secret: StoreSecret, timeout: UInt32 = 0) throws {
    try HKError.translating { try StoreEncryption.unlock(path, with: secret.secret, timeout: timeout) }
  }

  /// Ends that, also for programs that have it open.
  /// - Returns: Whether the store was unlocked.
  package static func lock(_ path: String) throws -> Bool {
    try HKError.translating { try StoreEncryption.lock(path) }
  }

  /// Adds a key slot to an unlocked store.
  /// - Parameter name: The default is the kind of the secret, with a number if that is taken.
  /// - Returns: The name.
  package static func addKey(_ secret: StoreSecret, named name: String? = nil, to path: String) throws
    -> String
  {
    try HKError.translating { try StoreEncryption.addKey(secret.secret, named: name, to: path) }
  }

  /// Removes a key slot. The last one stays.
  package static func removeKey(named name: String, from path: String) throws {
    try HKError.translating { try StoreEncryption.removeKey(named: name, from: path) }
  }
}
