#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

// Only what Swift cannot call: functions with variable arguments. All else of SQLite comes with GRDB.
#include <sqlite3.h>

/// Stops SQLite from counting its memory, which costs a global lock for each allocation; SQLite's own guide to
/// compile-time options recommends it. To be called before the first connection is opened.
///
/// Returns SQLITE_OK, or SQLITE_MISUSE where a connection has been opened already, which changes nothing.
static inline int csqlite_disable_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
