// Which commit a program was built of. scripts/build --static links an object that has it: nothing need be compiled
// anew for another commit.

#ifndef CPROGRAMBUILD_SHIM_H
#define CPROGRAMBUILD_SHIM_H

#include <malloc.h>

extern const char hrgate_program_build __attribute__((weak));

/// What follows the number of the version: "+git20261123.204500"; NULL in a program of which nobody said.
static inline const char *cprogrambuild_text(void) { return &hrgate_program_build; }

/// Returns freed memory to the system early. By default glibc raises its thresholds with the largest block that was
/// freed, and then keeps up to twice as much.
static inline void cprogrambuild_return_freed_memory(void) { mallopt(M_MMAP_THRESHOLD, 128 * 1024); }

#endif
