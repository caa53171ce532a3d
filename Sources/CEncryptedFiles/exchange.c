// The X25519 key exchange for the encryption of inbox entries.

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "encrypted_files.h"

bool encrypted_exchange(const uint8_t private_key[32], const uint8_t public_key[32], uint8_t secret[32]) {
  EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, private_key, 32);
  EVP_PKEY *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, public_key, 32);
  EVP_PKEY_CTX *context = own ? EVP_PKEY_CTX_new(own, NULL) : NULL;
  size_t count = 32;
  // libcrypto rejects public keys that result in a secret of zeros.
  bool done = context && other && EVP_PKEY_derive_init(context) == 1
      && EVP_PKEY_derive_set_peer(context, other) == 1 && EVP_PKEY_derive(context, secret, &count) == 1
      && count == 32;
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(other);
  EVP_PKEY_free(own);
  if (!done) OPENSSL_cleanse(secret, 32);
  return done;
}
