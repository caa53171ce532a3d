#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>
#include <sys/eventfd.h>

/// Creates an eventfd that interrupts a wait for the PostgreSQL server. Returns -1 on an error. This is a
/// function, because Swift sees the constants of sys/eventfd.h through only one of the modules that include
/// it. Which module that is differs between debug and release builds.
static inline int cpostgresql_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#endif
