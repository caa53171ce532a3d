// libarchive, loaded when it is first needed: a program that unpacks nothing does not pay for it, nor for the
// libraries that it brings.
#ifndef CARCHIVE_H
#define CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

/// Returns why libarchive cannot be used on this machine; NULL if it can. Call it before any other function:
/// the others end the program if libarchive is missing.
const char *libarchiveUnavailable(void);

#endif
