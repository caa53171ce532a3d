// The commit from which the program was built. scripts/build --static links it as a separate object file, so
// a new commit does not cause recompilation.

#ifndef CPROGRAMBUILD_SHIM_H
#define CPROGRAMBUILD_SHIM_H

#include <malloc.h>

extern const char hrgate_program_build __attribute__((weak));

/// Returns the suffix of the version, such as "+git20261123.204500", or NULL if it was not linked in.
static inline const char *cprogrambuild_text(void) { return &hrgate_program_build; }

/// Makes glibc return freed memory to the system early. By default glibc raises its threshold for `mmap` to
/// the size of the largest freed block, and then keeps up to twice that size of free memory.
static inline void cprogrambuild_return_freed_memory(void) { mallopt(M_MMAP_THRESHOLD, 128 * 1024); }

#endif
