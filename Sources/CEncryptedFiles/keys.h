// The functions of keys.c that the VFS uses.

#ifndef KEYS_H
#define KEYS_H

#include "encrypted_files.h"

/// Like encrypted_key_find, but also returns the serial number of the key in the keyring; 0 for a key that
/// only this process has.
int encrypted_key_lookup(const uint8_t *store, uint8_t *data_key, long *serial);

/// Returns whether a key that encrypted_key_lookup has found is still valid. Takes one system call.
bool encrypted_key_is_valid(const uint8_t *store, long serial);

#endif
