import Foundation

/// Exchanges the key file beside a store that a backup replaces. The key file of the old store is kept beside
/// it under the old store's new name.
struct KeyReplacement {
  private let path: String
  private let kept: String
  private let hadKeys: Bool

  /// Must be called before the backup gets the store's name: an encrypted store must never be without keys.
  /// - Parameters:
  ///   - kept: The new name of the old store.
  ///   - encryption: The keys of the backup; `nil` if it is not encrypted.
  init(
    ofStoreAt path: String, keptAs kept: String, by encryption: CopyEncryption?, for owner: FileOwnership?
  ) throws {
    (self.path, self.kept) = (path, kept)
    hadKeys = try KeyFile.copy(ofStoreAt: path, to: kept, for: owner)
    // The key file of an earlier backup of the same store may have a passphrase that was removed since.
    guard let encryption, (try? KeyFile.read(ofStoreAt: path))?.store != encryption.store else { return }
    do {
      try encryption.writeKeys(ofCopyAt: path, for: owner)
    } catch {
      unlink(KeyFile.path(ofStoreAt: kept))
      throw error
    }
  }

  /// Restores the key file of the old store, which still has its name.
  func undo() {
    let file = KeyFile.path(ofStoreAt: path)
    if hadKeys { rename(KeyFile.path(ofStoreAt: kept), file) } else { unlink(file) }
  }
}
