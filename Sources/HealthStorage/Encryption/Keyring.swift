import CEncryptedFiles
import Foundation

/// The user's keyring in the kernel. A store is unlocked as long as its data key is in it.
enum Keyring {
  /// Adds the data key of a store.
  ///
  /// - Parameter timeout: The time in seconds after which the kernel removes the key; 0 for never.
  static func add(_ key: SecretBytes, of store: StoreIdentifier, timeout: UInt32 = 0) throws(StorageError) {
    let error = encrypted_key_add(store.bytes, key.start, timeout)
    guard error == 0 else { throw failure(error) }
  }

  /// Returns the data key of an unlocked store; `nil` if it is locked.
  static func key(of store: StoreIdentifier) throws(StorageError) -> SecretBytes? {
    let key = try SecretBytes(count: KeySlot.wrappedLength)
    let error = encrypted_key_find(store.bytes, key.start)
    switch error {
    case 0: return key
    case ENOKEY: return nil
    default: throw failure(error)
    }
  }

  /// Removes the data key of a store.
  ///
  /// - Returns: Whether the store was unlocked.
  static func revoke(_ store: StoreIdentifier) throws(StorageError) -> Bool {
    switch encrypted_key_revoke(store.bytes) {
    case 0: return true
    case ENOKEY: return false
    case let error: throw failure(error)
    }
  }

  /// Returns the error for an errno of the keyring's system calls. EPERM comes from Docker's default seccomp
  /// profile, ENOSYS from gVisor.
  static func failure(_ error: Int32) -> StorageError {
    switch error {
    case ENOSYS, EPERM, EACCES:
      .encryption(
        "the kernel's keyring cannot be used here (\(String(cString: strerror(error)))), as in a container "
          + "without keyctl; allow the system calls add_key and keyctl, or run hrgate outside of it"
      )
    case EDQUOT:
      .encryption("the user's keyring is full; `keyctl show @u` lists its keys")
    default:
      .encryption("the kernel's keyring failed: \(String(cString: strerror(error)))")
    }
  }

  /// Calls `body`. Until it returns, this process can use the key without the keyring.
  static func withHeld<Value>(
    _ key: SecretBytes, of store: StoreIdentifier, _ body: () throws -> Value
  ) throws -> Value {
    let error = encrypted_key_hold(store.bytes, key.start)
    guard error == 0 else { throw failure(error) }
    defer { encrypted_key_hold(store.bytes, nil) }
    return try body()
  }
}

extension StoreEncryption {
  /// Whether this process can use the kernel's keyring.
  package static var hasKeyring: Bool {
    do {
      return try Keyring.key(of: .random()) == nil
    } catch {
      return false
    }
  }
}
