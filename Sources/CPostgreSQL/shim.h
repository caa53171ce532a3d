#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>
// For eventfd, which wakes a wait for the server. The Glibc module does not include it.
#include <sys/eventfd.h>

#endif
