// The layout of encrypted files, and their cipher: AES-256-XTS by libcrypto.

#include "sectors.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

// MARK: - The cipher

// XTS encrypts each block of 16 bytes independently of adjacent blocks: its ciphertext depends only on the
// key, the sector's number (the tweak), the block's position in the sector and its plaintext. This has two
// consequences:
//
// - Blocks that a write does not change keep their ciphertext. A write that the disk performs only partly
//   leaves all blocks outside the written range unchanged, so SQLite's assumption about torn writes
//   ("powersafe overwrite") holds as for a plain file.
// - A part of a sector can be encrypted and written without the rest of it. The blocks before the part are
//   processed as zeros, and their results are discarded.
//
// libcrypto always starts at the first block of a sector. So for a range that starts in the middle of a
// sector, cipher_encrypt and cipher_decrypt also process the beginning of the sector.

static bool start(EVP_CIPHER_CTX *context, int encrypts, int64_t sector) {
  uint8_t tweak[block_length] = {0};
  for (int i = 0; i < 8; i++) tweak[i] = (uint8_t)((uint64_t)sector >> 8 * i);
  return EVP_CipherInit_ex(context, NULL, NULL, NULL, tweak, encrypts) == 1;
}

static EVP_CIPHER_CTX *context(const uint8_t key[file_key_length], int encrypts) {
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (context && EVP_CipherInit_ex(context, EVP_aes_256_xts(), NULL, key, NULL, encrypts) == 1) {
    return context;
  }
  EVP_CIPHER_CTX_free(context);
  return NULL;
}

bool cipher_open(Cipher *cipher, const uint8_t key[file_key_length]) {
  cipher->encryption = context(key, 1);
  cipher->decryption = context(key, 0);
  if (cipher->encryption && cipher->decryption) return true;
  cipher_close(cipher);
  return false;
}

void cipher_close(Cipher *cipher) {
  EVP_CIPHER_CTX_free(cipher->encryption);
  EVP_CIPHER_CTX_free(cipher->decryption);
  cipher->encryption = cipher->decryption = NULL;
}

/// Encrypts or decrypts the bytes of one sector from offset `first` to offset `end`.
static bool process(
    EVP_CIPHER_CTX *context, int encrypts, int64_t sector, size_t first, size_t end,
    const uint8_t *from, uint8_t *to) {
  int length;
  if (!start(context, encrypts, sector)) return false;
  if (first == 0) return EVP_CipherUpdate(context, to, &length, from, (int)end) == 1 && length == (int)end;
  uint8_t whole[sector_length] = {0};
  memcpy(whole + first, from, end - first);
  bool done = EVP_CipherUpdate(context, whole, &length, whole, (int)end) == 1 && length == (int)end;
  if (done) memcpy(to, whole + first, end - first);
  return done;
}

bool cipher_encrypt(Cipher *cipher, int64_t offset, const uint8_t *plain, size_t count, uint8_t *encrypted) {
  for (size_t done = 0; done < count;) {
    size_t first = (size_t)((offset + (int64_t)done) % sector_length);
    size_t end = first + (count - done);
    if (end > sector_length) end = sector_length;
    int64_t sector = (offset + (int64_t)done) / sector_length;
    if (!process(cipher->encryption, 1, sector, first, end, plain + done, encrypted + done)) return false;
    done += end - first;
  }
  return true;
}

static bool is_hole(const uint8_t *block) {
  uint64_t words[2];
  memcpy(words, block, sizeof words);
  return (words[0] | words[1]) == 0;
}

bool cipher_decrypt(Cipher *cipher, int64_t offset, uint8_t *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    size_t first = (size_t)((offset + (int64_t)done) % sector_length);
    size_t end = first + (count - done);
    if (end > sector_length) end = sector_length;
    uint32_t holes = 0;
    for (size_t block = first; block < end; block += block_length) {
      if (is_hole(bytes + done + (block - first))) holes |= 1u << block / block_length;
    }
    int64_t sector = (offset + (int64_t)done) / sector_length;
    if (!process(cipher->decryption, 0, sector, first, end, bytes + done, bytes + done)) return false;
    for (size_t block = first; holes && block < end; block += block_length) {
      if (holes >> block / block_length & 1) memset(bytes + done + (block - first), 0, block_length);
    }
    done += end - first;
  }
  return true;
}

// MARK: - The header

// The sizes of the fields of each copy, in bytes: magic 16, version 4, kind 4, page size 4, reserved 4,
// store 16, nonce 12, encrypted file key 64, tag 16, checksum 16. Numbers are little-endian. Everything
// before the nonce is authenticated together with the encrypted key. The checksum is the beginning of the
// SHA-256 of everything before it. It detects a damaged copy even without the data key.

static const uint8_t magic[16] = "hrgate encrypted";

enum {
  at_version = 16,
  at_kind = 20,
  at_page_size = 24,
  at_store = 32,
  at_nonce = 48,
  at_key = 60,
  at_tag = 124,
  version = 1,
};

static void put(uint8_t *bytes, uint32_t number) {
  for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(number >> 8 * i);
}

static uint32_t get(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool has_magic(const uint8_t *copy) { return !memcmp(copy, magic, sizeof magic); }

static bool is_sound(const uint8_t *copy) {
  uint8_t digest[32];
  return has_magic(copy) && encrypted_digest(copy, header_length, digest)
      && !memcmp(copy + header_length, digest, checksum_length);
}

bool header_make(
    const Header *header, const uint8_t *data_key, uint8_t bytes[ENCRYPTED_HEADER], uint8_t key[64]) {
  if (RAND_bytes(bytes, ENCRYPTED_HEADER) != 1 || RAND_priv_bytes(key, file_key_length) != 1) return false;
  for (int copy = 0; copy < 2; copy++) {
    uint8_t *at = bytes + copy * ENCRYPTED_SECOND_COPY;
    memcpy(at, magic, sizeof magic);
    put(at + at_version, version);
    put(at + at_kind, header->kind);
    put(at + at_page_size, header->page_size);
    put(at + at_page_size + 4, 0);
    memcpy(at + at_store, header->store, ENCRYPTED_STORE_ID);
    // The nonce is already random, because RAND_bytes has filled the whole header.
    if (!encrypted_seal(
            data_key, at + at_nonce, at, at_nonce, key, file_key_length, at + at_key, at + at_tag)) {
      return false;
    }
    uint8_t digest[32];
    if (!encrypted_digest(at, header_length, digest)) return false;
    memcpy(at + header_length, digest, checksum_length);
  }
  return true;
}

HeaderState header_state(const uint8_t bytes[ENCRYPTED_HEADER], uint8_t *store) {
  HeaderState state = header_missing;
  for (int copy = 0; copy < 2; copy++) {
    const uint8_t *at = bytes + copy * ENCRYPTED_SECOND_COPY;
    if (is_sound(at)) {
      memcpy(store, at + at_store, ENCRYPTED_STORE_ID);
      return header_valid;
    }
    if (has_magic(at)) state = header_damaged;
  }
  return state;
}

bool header_open(
    const uint8_t bytes[ENCRYPTED_HEADER], const uint8_t *data_key, Header *header, uint8_t key[64]) {
  for (int copy = 0; copy < 2; copy++) {
    const uint8_t *at = bytes + copy * ENCRYPTED_SECOND_COPY;
    if (!is_sound(at) || get(at + at_version) != version) continue;
    if (!encrypted_unseal(
            data_key, at + at_nonce, at, at_nonce, at + at_key, file_key_length, at + at_tag, key)) {
      continue;
    }
    header->kind = get(at + at_kind);
    header->page_size = get(at + at_page_size);
    memcpy(header->store, at + at_store, ENCRYPTED_STORE_ID);
    return true;
  }
  return false;
}
