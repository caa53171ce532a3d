#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// The functions that are used: result, name, parameters, arguments.
#define FUNCTIONS(F)                                                                                          \
  F(PGconn *, PQconnectStartParams, (const char *const *k, const char *const *v, int e), (k, v, e))           \
  F(PostgresPollingStatusType, PQconnectPoll, (PGconn *c), (c))                                               \
  F(PQconninfoOption *, PQconndefaults, (void), ())                                                           \
  F(PQconninfoOption *, PQconninfoParse, (const char *t, char **e), (t, e))                                   \
  F(void, PQconninfoFree, (PQconninfoOption *o), (o))                                                         \
  F(void, PQfreemem, (void *p), (p))                                                                          \
  F(ConnStatusType, PQstatus, (const PGconn *c), (c))                                                         \
  F(int, PQsocket, (const PGconn *c), (c))                                                                    \
  F(int, PQserverVersion, (const PGconn *c), (c))                                                             \
  F(int, PQbackendPID, (const PGconn *c), (c))                                                                \
  F(char *, PQerrorMessage, (const PGconn *c), (c))                                                           \
  F(PGVerbosity, PQsetErrorVerbosity, (PGconn *c, PGVerbosity v), (c, v))                                     \
  F(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *c, PQnoticeProcessor p, void *a), (c, p, a))            \
  F(void, PQfinish, (PGconn *c), (c))                                                                         \
  F(int, PQsetnonblocking, (PGconn *c, int on), (c, on))                                                      \
  F(int, PQflush, (PGconn *c), (c))                                                                           \
  F(int, PQconsumeInput, (PGconn *c), (c))                                                                    \
  F(int, PQisBusy, (PGconn *c), (c))                                                                          \
  F(int, PQsendQuery, (PGconn *c, const char *q), (c, q))                                                     \
  F(int, PQsendQueryParams,                                                                                   \
    (PGconn *c, const char *q, int n, const Oid *t, const char *const *v, const int *l, const int *f, int r), \
    (c, q, n, t, v, l, f, r))                                                                                 \
  F(PGresult *, PQgetResult, (PGconn *c), (c))                                                                \
  F(int, PQputCopyData, (PGconn *c, const char *b, int n), (c, b, n))                                         \
  F(int, PQputCopyEnd, (PGconn *c, const char *e), (c, e))                                                    \
  F(ExecStatusType, PQresultStatus, (const PGresult *r), (r))                                                 \
  F(char *, PQcmdTuples, (PGresult *r), (r))                                                                  \
  F(char *, PQresultErrorField, (const PGresult *r, int f), (r, f))                                           \
  F(int, PQntuples, (const PGresult *r), (r))                                                                 \
  F(int, PQnfields, (const PGresult *r), (r))                                                                 \
  F(char *, PQgetvalue, (const PGresult *r, int t, int f), (r, t, f))                                         \
  F(int, PQgetisnull, (const PGresult *r, int t, int f), (r, t, f))                                           \
  F(void, PQclear, (PGresult *r), (r))                                                                        \
  F(PGcancel *, PQgetCancel, (PGconn *c), (c))                                                                \
  F(int, PQcancel, (PGcancel *k, char *b, int n), (k, b, n))                                                  \
  F(void, PQfreeCancel, (PGcancel *k), (k))

static struct {
#define MEMBER(result, name, parameters, arguments) result(*name) parameters;
  FUNCTIONS(MEMBER)
} libpq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char unavailable[256];

static void load(void) {
  // The name of its ABI, which has been this one since 2005.
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(unavailable, sizeof unavailable, "%s", dlerror());
    return;
  }
#define FIND(result, name, parameters, arguments)                              \
  if (!(libpq.name = (result(*) parameters)dlsym(library, #name))) {           \
    snprintf(unavailable, sizeof unavailable, "libpq.so.5 has no %s", #name);  \
    return;                                                                    \
  }
  FUNCTIONS(FIND)
}

const char *libpqUnavailable(void) {
  pthread_once(&once, load);
  return unavailable[0] ? unavailable : NULL;
}

// Hidden, so that libpq's own calls of them stay within libpq.
#define DEFINE(result, name, parameters, arguments)                            \
  __attribute__((visibility("hidden"))) result name parameters {               \
    if (libpqUnavailable()) abort();                                           \
    return libpq.name arguments;                                               \
  }
FUNCTIONS(DEFINE)
