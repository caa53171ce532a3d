#include "CArchive.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct archive *reader;
typedef struct archive_entry *entry;
typedef archive_read_callback *read_callback;
typedef archive_seek_callback *seek_callback;

// The functions that are used: result, name, parameters, arguments.
#define FUNCTIONS(F)                                                                            \
  F(reader, archive_read_new, (void), ())                                                       \
  F(int, archive_read_free, (reader r), (r))                                                    \
  F(int, archive_read_support_filter_gzip, (reader r), (r))                                     \
  F(int, archive_read_support_filter_bzip2, (reader r), (r))                                    \
  F(int, archive_read_support_filter_xz, (reader r), (r))                                       \
  F(int, archive_read_support_filter_zstd, (reader r), (r))                                     \
  F(int, archive_read_support_filter_lz4, (reader r), (r))                                      \
  F(int, archive_read_support_format_raw, (reader r), (r))                                      \
  F(int, archive_read_support_format_zip, (reader r), (r))                                      \
  F(int, archive_read_set_read_callback, (reader r, read_callback f), (r, f))                   \
  F(int, archive_read_set_seek_callback, (reader r, seek_callback f), (r, f))                   \
  F(int, archive_read_set_callback_data, (reader r, void *d), (r, d))                           \
  F(int, archive_read_open1, (reader r), (r))                                                   \
  F(int, archive_read_next_header, (reader r, entry *e), (r, e))                                \
  F(la_ssize_t, archive_read_data, (reader r, void *b, size_t n), (r, b, n))                    \
  F(const char *, archive_error_string, (reader r), (r))                                        \
  F(const char *, archive_entry_pathname, (entry e), (e))                                       \
  F(const char *, archive_entry_pathname_utf8, (entry e), (e))                                  \
  F(la_int64_t, archive_entry_size, (entry e), (e))                                             \
  F(int, archive_entry_size_is_set, (entry e), (e))                                             \
  F(int, archive_entry_is_encrypted, (entry e), (e))

static struct {
#define MEMBER(result, name, parameters, arguments) result(*name) parameters;
  FUNCTIONS(MEMBER)
} libarchive;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char unavailable[256];

static void load(void) {
  void *library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(unavailable, sizeof unavailable, "%s", dlerror());
    return;
  }
#define FIND(result, name, parameters, arguments)                                  \
  if (!(libarchive.name = (result(*) parameters)dlsym(library, #name))) {          \
    snprintf(unavailable, sizeof unavailable, "libarchive.so.13 has no %s", #name); \
    return;                                                                        \
  }
  FUNCTIONS(FIND)
}

const char *libarchiveUnavailable(void) {
  pthread_once(&once, load);
  return unavailable[0] ? unavailable : NULL;
}

// Hidden, so that libarchive's own calls of them stay within libarchive.
#define DEFINE(result, name, parameters, arguments)              \
  __attribute__((visibility("hidden"))) result name parameters { \
    if (libarchiveUnavailable()) abort();                        \
    return libarchive.name arguments;                            \
  }
FUNCTIONS(DEFINE)
