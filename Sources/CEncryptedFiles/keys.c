// Memory for keys, the kernel's keyring, and libcrypto.

#include "encrypted_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "keys.h"

// MARK: - Memory

/// Excludes all anonymous memory of this process from core dumps, because libcrypto expands keys in ordinary
/// memory, and SQLite's cache contains health data. Core dumps then contain only ELF headers.
static void exclude_memory_from_core_dumps(void) {
  int descriptor = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ssize_t written = write(descriptor, "0x10\n", 5);
  (void)written;
  close(descriptor);
}

static void protect_memory(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, exclude_memory_from_core_dumps);
}

void *encrypted_memory_allocate(size_t count) {
  protect_memory();
  void *memory = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  madvise(memory, count, MADV_DONTDUMP);
  // mlock fails above RLIMIT_MEMLOCK. The memory is used anyway, because it contains the key only for an
  // instant.
  mlock(memory, count);
  return memory;
}

void encrypted_memory_free(void *memory, size_t count) {
  if (!memory) return;
  OPENSSL_cleanse(memory, count);
  munmap(memory, count);
}

void encrypted_memory_wipe(void *memory, size_t count) { OPENSSL_cleanse(memory, count); }

// MARK: - The keyring

/// The permissions of a key: all for its possessor and for its user. A system service has a session keyring
/// that does not link to the user's keyring, so it accesses the key as its user and not as its possessor.
static const unsigned permissions = 0x3f3f0000;

enum { description_length = 13 + 2 * ENCRYPTED_STORE_ID + 1 };

static void describe(const uint8_t *store, char description[description_length]) {
  strcpy(description, "hrgate:store:");
  for (int i = 0; i < ENCRYPTED_STORE_ID; i++) sprintf(description + 13 + 2 * i, "%02x", store[i]);
}

static long search(const uint8_t *store) {
  char description[description_length];
  describe(store, description);
  return syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", description, 0);
}

int encrypted_key_add(const uint8_t *store, const uint8_t *data_key, unsigned timeout) {
  char description[description_length];
  describe(store, description);
  // If the keyring already contains this store's key, the kernel updates it, even if it has expired, or
  // replaces it if it was revoked. The store stays unlocked in the meantime.
  long serial =
      syscall(SYS_add_key, "user", description, data_key, (size_t)ENCRYPTED_DATA_KEY, KEY_SPEC_USER_KEYRING);
  if (serial < 0) return errno;
  // A timeout of 0 removes the timeout of an earlier unlock.
  if (syscall(SYS_keyctl, KEYCTL_SETPERM, serial, permissions) < 0
      || syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, serial, timeout) < 0) {
    int error = errno;
    syscall(SYS_keyctl, KEYCTL_UNLINK, serial, KEY_SPEC_USER_KEYRING);
    return error;
  }
  return 0;
}

int encrypted_key_revoke(const uint8_t *store) {
  long serial = search(store);
  if (serial < 0) return errno == EKEYREVOKED || errno == EKEYEXPIRED ? ENOKEY : errno;
  if (syscall(SYS_keyctl, KEYCTL_REVOKE, serial) < 0) return errno;
  syscall(SYS_keyctl, KEYCTL_UNLINK, serial, KEY_SPEC_USER_KEYRING);
  return 0;
}

// MARK: - Keys that only this process has

enum { held_count = 16 };

typedef struct {
  bool is_used;
  uint8_t store[ENCRYPTED_STORE_ID];
  uint8_t key[ENCRYPTED_DATA_KEY];
} HeldKey;

static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;
static HeldKey *held;

int encrypted_key_hold(const uint8_t *store, const uint8_t *data_key) {
  int result = 0;
  pthread_mutex_lock(&held_lock);
  if (!held) held = encrypted_memory_allocate(held_count * sizeof *held);
  HeldKey *place = NULL;
  for (int i = 0; held && i < held_count; i++) {
    if (held[i].is_used && !memcmp(held[i].store, store, ENCRYPTED_STORE_ID)) {
      place = &held[i];
      break;
    }
    if (!held[i].is_used && !place) place = &held[i];
  }
  if (!place) {
    result = data_key ? ENOMEM : 0;
  } else if (data_key) {
    place->is_used = true;
    memcpy(place->store, store, ENCRYPTED_STORE_ID);
    memcpy(place->key, data_key, ENCRYPTED_DATA_KEY);
  } else {
    OPENSSL_cleanse(place, sizeof *place);
  }
  pthread_mutex_unlock(&held_lock);
  return result;
}

static bool find_held(const uint8_t *store, uint8_t *data_key) {
  bool found = false;
  pthread_mutex_lock(&held_lock);
  for (int i = 0; held && i < held_count; i++) {
    if (!held[i].is_used || memcmp(held[i].store, store, ENCRYPTED_STORE_ID)) continue;
    if (data_key) memcpy(data_key, held[i].key, ENCRYPTED_DATA_KEY);
    found = true;
  }
  pthread_mutex_unlock(&held_lock);
  return found;
}

int encrypted_key_lookup(const uint8_t *store, uint8_t *data_key, long *serial) {
  *serial = 0;
  protect_memory();
  if (find_held(store, data_key)) return 0;
  long found = search(store);
  if (found < 0) return errno == EKEYREVOKED || errno == EKEYEXPIRED ? ENOKEY : errno;
  long count = syscall(SYS_keyctl, KEYCTL_READ, found, data_key, (size_t)ENCRYPTED_DATA_KEY);
  if (count < 0) return errno == EKEYREVOKED || errno == EKEYEXPIRED ? ENOKEY : errno;
  if (count != ENCRYPTED_DATA_KEY) {
    OPENSSL_cleanse(data_key, ENCRYPTED_DATA_KEY);
    return ENOKEY;
  }
  *serial = found;
  return 0;
}

bool encrypted_key_is_valid(const uint8_t *store, long serial) {
  if (serial == 0) return find_held(store, NULL);
  return syscall(SYS_keyctl, KEYCTL_READ, serial, NULL, (size_t)0) == ENCRYPTED_DATA_KEY;
}

int encrypted_key_find(const uint8_t *store, uint8_t *data_key) {
  long serial;
  return encrypted_key_lookup(store, data_key, &serial);
}

// MARK: - libcrypto

bool encrypted_random(void *bytes, size_t count) { return RAND_bytes(bytes, (int)count) == 1; }

bool encrypted_scrypt(
    const char *passphrase, size_t length, const uint8_t *salt, size_t salt_length, uint64_t cost,
    uint8_t key[32]) {
  // The memory limit of scrypt. With N, r = 8 and p = 1, it needs 128 × r × (N + p) bytes and little more.
  uint64_t memory = 128 * 8 * (cost + 32);
  return EVP_PBE_scrypt(passphrase, length, salt, salt_length, cost, 8, 1, memory, key, 32) == 1;
}

bool encrypted_hkdf(
    const uint8_t *secret, size_t length, const uint8_t *salt, size_t salt_length, const char *purpose,
    uint8_t key[32]) {
  EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, length),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)purpose, strlen(purpose)),
      OSSL_PARAM_construct_end(),
  };
  bool done = context && EVP_KDF_derive(context, key, 32, parameters) == 1;
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(kdf);
  return done;
}

bool encrypted_seal(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *header, size_t header_length,
    const uint8_t *content, size_t count, uint8_t *sealed, uint8_t tag[16]) {
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int length;
  bool done = context && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
      && EVP_EncryptUpdate(context, NULL, &length, header, (int)header_length) == 1
      && EVP_EncryptUpdate(context, sealed, &length, content, (int)count) == 1
      && EVP_EncryptFinal_ex(context, sealed + length, &length) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, tag) == 1;
  EVP_CIPHER_CTX_free(context);
  return done;
}

bool encrypted_unseal(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *header, size_t header_length,
    const uint8_t *sealed, size_t count, const uint8_t tag[16], uint8_t *content) {
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int length;
  bool done = context && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
      && EVP_DecryptUpdate(context, NULL, &length, header, (int)header_length) == 1
      && EVP_DecryptUpdate(context, content, &length, sealed, (int)count) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, (void *)tag) == 1
      && EVP_DecryptFinal_ex(context, content + length, &length) == 1;
  EVP_CIPHER_CTX_free(context);
  if (!done) OPENSSL_cleanse(content, count);
  return done;
}

bool encrypted_digest(const uint8_t *bytes, size_t count, uint8_t digest[32]) {
  return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL) == 1;
}

bool encrypted_public_key(const uint8_t private_key[32], uint8_t public_key[32]) {
  EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, private_key, 32);
  size_t count = 32;
  bool done = key && EVP_PKEY_get_raw_public_key(key, public_key, &count) == 1 && count == 32;
  EVP_PKEY_free(key);
  return done;
}
