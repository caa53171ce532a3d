#ifndef CPAGEFILES_H
#define CPAGEFILES_H

#include <stddef.h>

/// A file of the page, which stands in the program: an installed program needs no folder beside it.
struct CPageFiles_file {
  /// Below the page's folder, as `modules/chart.js`.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t size;
};

/// - Returns: `NULL` behind the last.
const struct CPageFiles_file *_Nullable CPageFiles_file_at(size_t index);

#endif
