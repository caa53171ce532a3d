// The system's libcrypto for Swift: digests, keys, certificates, PEM and CMS.

#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Functions for macros that Swift does not import.

/// Creates a P-256 key; NULL on an error.
static inline EVP_PKEY *copenssl_p256_key(void) { return EVP_EC_gen("P-256"); }

/// Frees memory that libcrypto allocated and whose ownership the caller received.
static inline void copenssl_free(void *memory) { OPENSSL_free(memory); }

/// Returns the number of bytes written to a memory BIO, and points `bytes` at them. The BIO still owns them.
static inline long copenssl_written(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

#endif
