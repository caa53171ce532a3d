import CEncryptedFiles
import CSQLite
import Foundation

/// Access to encrypted SQLite files. `CEncryptedFiles` defines their format.
enum EncryptedFiles {
  private static let registration: Int32 = {
    // Disabling SQLite's memory statistics makes an insert about 10 % faster (`Benchmarks/`). Do it before
    // the registration, which initializes SQLite. It has no effect if the program has already opened a
    // connection.
    _ = csqlite_disable_memory_statistics()
    return encrypted_files_register()
  }()

  /// Makes SQLite recognize encrypted files, and changes SQLite's global settings. Call it before opening a
  /// store.
  static func register() { _ = registration }

  /// Returns the identifier of an encrypted store; `nil` for a file that is missing, empty or not encrypted.
  /// This process may have the file open in SQLite.
  /// - Throws: `StorageError.unrecognisable` if both copies of the header of an encrypted store are damaged.
  static func store(at path: String) throws(StorageError) -> StoreIdentifier? {
    register()
    var bytes = [UInt8](repeating: 0, count: StoreIdentifier.length)
    let result = encrypted_file_store(path, &bytes)
    guard result >= 0 else {
      let error: Int32 = 0 - result
      if error == ENOENT { return nil }
      if error == EBADMSG { throw .unrecognisable(path: path) }
      throw .file(operation: "open", path: path, errno: error)
    }
    return result == 1 ? StoreIdentifier(bytes) : nil
  }

  /// Turns an existing empty file into an encrypted database without content.
  static func create(at path: String, of store: StoreIdentifier, with key: SecretBytes)
    throws(StorageError)
  {
    register()
    let error = encrypted_file_create(path, store.bytes, key.start)
    guard error == 0 else { throw .file(operation: "write", path: path, errno: error) }
  }
}

/// The random ID of an encrypted store. It is stored in the store's files, and is part of the name of its key
/// in the keyring.
package struct StoreIdentifier: Hashable, Sendable {
  static let length = ENCRYPTED_STORE_ID

  let bytes: [UInt8]

  init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Creates a new identifier.
  static func random() throws(StorageError) -> StoreIdentifier {
    guard let identifier = StoreIdentifier(try KeyMath.random(length)) else { throw .damagedRow }
    return identifier
  }
}
