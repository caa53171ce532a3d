// Encrypted SQLite files: a VFS over SQLite's unix VFS, the keys of stores in the kernel's keyring, and the
// calls of libcrypto that wrap keys. All cryptography is libcrypto's.

#ifndef ENCRYPTED_FILES_H
#define ENCRYPTED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Sizes in bytes.
enum {
  /// The identifier of a store.
  ENCRYPTED_STORE_ID = 16,
  /// The data key of a store. The first 32 bytes encrypt the keys of files; the other 32 bytes are the
  /// private key of the inbox.
  ENCRYPTED_DATA_KEY = 64,
  /// The header of an encrypted file. SQLite's content follows it.
  ENCRYPTED_HEADER = 4096,
  /// The offset of the second copy of the header.
  ENCRYPTED_SECOND_COPY = 2048,
  ENCRYPTED_NONCE = 12,
  ENCRYPTED_TAG = 16,
};

// MARK: - Files

/// Makes the encrypting VFS the default of this process. Connections that are already open keep their VFS.
///
/// The VFS recognizes an encrypted database by its header. An unencrypted file gets the methods of the unix
/// VFS, so it costs just one read of 16 bytes when it is opened. Returns SQLITE_OK or SQLite's error code.
int encrypted_files_register(void);

/// Writes the header of a new encrypted database, with its own random key, to an empty file, and syncs it.
/// Returns 0 or an errno; EIO if libcrypto failed.
int encrypted_file_create(const char *path, const uint8_t *store, const uint8_t *data_key);

/// Reads from a file whether it is an encrypted database, and which store it belongs to. This process may
/// have it open in SQLite. Returns 1 (encrypted), 0 (not encrypted) or a negative errno: -EBADMSG if it is
/// encrypted and both copies of its header are damaged.
int encrypted_file_store(const char *path, uint8_t *store);

/// Reads the content of an encrypted database without SQLite. This process must not have the file open in
/// SQLite, because closing a descriptor would release SQLite's locks on it. Returns the number of bytes or a
/// negative errno, such as -ENOKEY if the store is locked.
long encrypted_file_read(const char *path, uint8_t *bytes, size_t count, int64_t offset);

/// The number of encrypted files that this process has opened. Once there is one, temporary files are
/// encrypted too.
long encrypted_files_opened(void);

// MARK: - Data keys

/// Sets the data key of a store for this process only; NULL removes it. It takes precedence over the keyring.
/// Returns 0 or an errno.
int encrypted_key_hold(const uint8_t *store, const uint8_t *data_key);

/// Adds the data key of a store to the user's keyring, readable by all of the user's processes. `timeout` is
/// in seconds; 0 means none. Returns 0 or an errno: ENOSYS, EPERM or EACCES if the kernel or the container
/// does not allow keyrings.
int encrypted_key_add(const uint8_t *store, const uint8_t *data_key, unsigned timeout);

/// Copies the data key of a store from this process or the user's keyring. Returns 0 or an errno; ENOKEY if
/// the store is locked.
int encrypted_key_find(const uint8_t *store, uint8_t *data_key);

/// Revokes the data key of a store and removes it from the user's keyring. Databases that are open fail at
/// their next transaction. Returns 0 or an errno; ENOKEY if there was no key.
int encrypted_key_revoke(const uint8_t *store);

// MARK: - Memory for keys

/// Allocates memory that is neither swapped nor included in core dumps. Returns NULL if none is available.
void *encrypted_memory_allocate(size_t count);
/// Zeroes and frees the memory.
void encrypted_memory_free(void *memory, size_t count);
/// Zeroes memory, even if the compiler sees no later use of it.
void encrypted_memory_wipe(void *memory, size_t count);

// MARK: - libcrypto

/// All functions below return whether they succeeded.
bool encrypted_random(void *bytes, size_t count);
/// Derives a key with scrypt (block size 8, parallelism 1). `cost` is the parameter N, a power of two.
bool encrypted_scrypt(
    const char *passphrase, size_t length, const uint8_t *salt, size_t salt_length, uint64_t cost,
    uint8_t key[32]);
/// Derives a key with HKDF and SHA-256.
bool encrypted_hkdf(
    const uint8_t *secret, size_t length, const uint8_t *salt, size_t salt_length, const char *purpose,
    uint8_t key[32]);
/// Encrypts with AES-256-GCM. Writes `count` bytes to `sealed` and 16 bytes to `tag`.
bool encrypted_seal(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *header, size_t header_length,
    const uint8_t *content, size_t count, uint8_t *sealed, uint8_t tag[16]);
/// Decrypts what encrypted_seal has encrypted. Returns false, with `content` zeroed, if the key is wrong or
/// anything was changed.
bool encrypted_unseal(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *header, size_t header_length,
    const uint8_t *sealed, size_t count, const uint8_t tag[16], uint8_t *content);
/// Computes a SHA-256 digest.
bool encrypted_digest(const uint8_t *bytes, size_t count, uint8_t digest[32]);
/// Computes the public key of an X25519 private key.
bool encrypted_public_key(const uint8_t private_key[32], uint8_t public_key[32]);
/// Computes an X25519 shared secret. The secret is zeroed on failure.
bool encrypted_exchange(const uint8_t private_key[32], const uint8_t public_key[32], uint8_t secret[32]);

#endif
