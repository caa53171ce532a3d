// libpq, taken up when it is first needed: a gateway that carries nothing to PostgreSQL does not pay for it,
// nor for the Kerberos, LDAP and TLS that it brings.
#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
// How who waits for a server is woken; Glibc's module leaves it out.
#include <sys/eventfd.h>

/// Why libpq cannot be used on this machine; NULL where it can. Ask before any other function is called: they
/// end the program where it is missing.
const char *libpqUnavailable(void);

#endif
