// Which commit a program was built of. scripts/build --static links an object that has it: nothing need be compiled
// anew for another commit.

#ifndef CPROGRAMBUILD_SHIM_H
#define CPROGRAMBUILD_SHIM_H

extern const char hrgate_program_build __attribute__((weak));

/// What follows the number of the version: "+git20261123.204500"; NULL in a program of which nobody said.
static inline const char *cprogrambuild_text(void) { return &hrgate_program_build; }

#endif
