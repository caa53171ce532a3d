// The layout of encrypted files, and their cipher.

#ifndef SECTORS_H
#define SECTORS_H

#include <openssl/evp.h>

#include "encrypted_files.h"

enum {
  /// The number of bytes in a sector. XTS encrypts each sector with its number as the tweak.
  sector_length = 512,
  /// The number of bytes in one AES block.
  block_length = 16,
  file_key_length = 64,
  /// The number of bytes in a copy of the header, without the checksum that follows it. The rest of each
  /// half of the header area is random.
  header_length = 140,
  checksum_length = 16,
};

typedef enum { kind_database = 1, kind_log = 2, kind_journal = 3, kind_temporary = 4 } FileKind;

/// The cipher of one file.
typedef struct {
  EVP_CIPHER_CTX *encryption;
  EVP_CIPHER_CTX *decryption;
} Cipher;

/// Initializes the cipher with the key of a file. Returns whether it succeeded.
bool cipher_open(Cipher *cipher, const uint8_t key[file_key_length]);
void cipher_close(Cipher *cipher);

/// Encrypts blocks. `offset` is their position in the content. `offset` and `count` must be multiples of the
/// block length.
bool cipher_encrypt(Cipher *cipher, int64_t offset, const uint8_t *plain, size_t count, uint8_t *encrypted);
/// Decrypts blocks in place. A block of zeros stays zero, because it is a hole in the file, which SQLite
/// reads as zeros. The probability that a block encrypts to zeros is 1 in 2^128.
bool cipher_decrypt(Cipher *cipher, int64_t offset, uint8_t *bytes, size_t count);

/// The content of the header of an encrypted file.
typedef struct {
  uint32_t kind;
  /// The page size of a write-ahead log, which determines the positions of frames; 0 in other files.
  uint32_t page_size;
  uint8_t store[ENCRYPTED_STORE_ID];
} Header;

/// Writes both copies of a header with a new random key.
bool header_make(
    const Header *header, const uint8_t *data_key, uint8_t bytes[ENCRYPTED_HEADER], uint8_t key[64]);

typedef enum {
  /// The file is not encrypted.
  header_missing,
  header_valid,
  /// The file is encrypted, and both copies of its header are damaged.
  header_damaged,
} HeaderState;

/// Returns whether a file with this header is encrypted, and copies the store's identifier to `store` if one
/// of the header's two copies has a valid checksum.
HeaderState header_state(const uint8_t bytes[ENCRYPTED_HEADER], uint8_t *store);

/// Decrypts the file's key with the data key of the store. Uses a copy of the header with a valid checksum.
/// Returns false if both copies are damaged, or the data key belongs to another store.
bool header_open(
    const uint8_t bytes[ENCRYPTED_HEADER], const uint8_t *data_key, Header *header, uint8_t key[64]);

#endif
