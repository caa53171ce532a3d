#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

// Only the variadic functions, which Swift cannot call. GRDB provides the rest of SQLite.
#include <sqlite3.h>

/// Stops SQLite from counting its memory, which takes a global lock for each allocation. SQLite's guide to
/// compile-time options recommends this. Call it before the first connection is opened.
///
/// Returns SQLITE_OK, or SQLITE_MISUSE if a connection was opened before. In that case nothing changes.
static inline int csqlite_disable_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
