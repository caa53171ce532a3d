// The commit from which a program was built. scripts/build --static links an object file with it, so nothing
// has to be compiled again for another commit.

#ifndef CPROGRAMBUILD_SHIM_H
#define CPROGRAMBUILD_SHIM_H

#include <malloc.h>

extern const char hrgate_program_build __attribute__((weak));

/// Returns the suffix of the version, such as "+git20261123.204500"; NULL if the program was built without
/// it.
static inline const char *cprogrambuild_text(void) { return &hrgate_program_build; }

/// Returns freed memory to the system early. By default glibc raises its thresholds with the largest block that was
/// freed, and then keeps up to twice as much.
static inline void cprogrambuild_return_freed_memory(void) { mallopt(M_MMAP_THRESHOLD, 128 * 1024); }

#endif
