#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>
// Wakes a wait for a server; Glibc's module leaves it out.
#include <sys/eventfd.h>

#endif
