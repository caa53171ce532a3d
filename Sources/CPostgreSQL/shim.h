#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>
#include <sys/eventfd.h>

/// Creates an eventfd, to wake a wait for the server; -1 on an error. A function, because Swift finds the constants of
/// sys/eventfd.h only in one of the modules that include it, and which one differs between debug and release builds.
static inline int cpostgresql_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#endif
