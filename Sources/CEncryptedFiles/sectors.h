// The layout of encrypted files, and their cipher.

#ifndef SECTORS_H
#define SECTORS_H

#include <openssl/evp.h>

#include "encrypted_files.h"

enum {
  /// The number of bytes that one tweak covers.
  sector_length = 512,
  /// The number of bytes in one AES block.
  block_length = 16,
  file_key_length = 64,
  /// The bytes of a header that are stored twice, each time followed by a checksum; the rest of each half is
  /// random.
  header_length = 140,
  checksum_length = 16,
};

typedef enum { kind_database = 1, kind_log = 2, kind_journal = 3, kind_temporary = 4 } FileKind;

/// The cipher of one file.
typedef struct {
  EVP_CIPHER_CTX *encryption;
  EVP_CIPHER_CTX *decryption;
} Cipher;

/// Returns whether it succeeded.
bool cipher_open(Cipher *cipher, const uint8_t key[file_key_length]);
void cipher_close(Cipher *cipher);

/// Encrypts blocks. `offset` is their position in the content; it and `count` are multiples of the block
/// length.
bool cipher_encrypt(Cipher *cipher, int64_t offset, const uint8_t *plain, size_t count, uint8_t *encrypted);
/// The reverse, in place. A block of zeros stays zero, because it is a hole in the file, which SQLite reads
/// as zeros. The probability that a block encrypts to zeros is 1 in 2^128.
bool cipher_decrypt(Cipher *cipher, int64_t offset, uint8_t *bytes, size_t count);

/// The content of a header.
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

/// Reads the store's identifier from a copy whose checksum is right. `store` is set only if there is one.
HeaderState header_state(const uint8_t bytes[ENCRYPTED_HEADER], uint8_t *store);

/// Unwraps the key from a copy whose checksum is right. Returns false if both are damaged or the data key is
/// another store's.
bool header_open(
    const uint8_t bytes[ENCRYPTED_HEADER], const uint8_t *data_key, Header *header, uint8_t key[64]);

#endif
