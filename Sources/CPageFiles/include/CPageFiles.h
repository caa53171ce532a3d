#ifndef CPAGEFILES_H
#define CPAGEFILES_H

#include <stddef.h>

/// A file of the page. It is embedded in the executable, so that an installed program needs no data
/// directory.
struct CPageFiles_file {
  /// The path below Sources/HealthPage/Page, such as `charts/legend.js`.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t size;
};

/// Returns the file with an index, or `NULL` if there is no such file.
const struct CPageFiles_file *_Nullable CPageFiles_file_at(size_t index);

#endif
