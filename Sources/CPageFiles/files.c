#include "CPageFiles.h"

// Of C23, which this compiler has, and warns of.
#pragma clang diagnostic ignored "-Wc23-extensions"
// Written by scripts/page-files: a line for each file of Sources/HealthPage/Page.
#include "files.inc"

const struct CPageFiles_file *CPageFiles_file_at(size_t index) {
  return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
