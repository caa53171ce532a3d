#include "CMosquitto.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct mosquitto *client;
typedef int (*password_callback)(char *, int, int, void *);
typedef void (*result_callback)(struct mosquitto *, void *, int);
typedef void (*message_callback)(struct mosquitto *, void *, const struct mosquitto_message *);
typedef void (*log_callback)(struct mosquitto *, void *, int, const char *);

// The functions that are used: result, name, parameters, arguments.
#define FUNCTIONS(F)                                                                                    \
  F(int, mosquitto_lib_init, (void), ())                                                               \
  F(int, mosquitto_lib_cleanup, (void), ())                                                            \
  F(client, mosquitto_new, (const char *id, bool clean, void *o), (id, clean, o))                      \
  F(void, mosquitto_destroy, (client c), (c))                                                          \
  F(int, mosquitto_int_option, (client c, enum mosq_opt_t k, int v), (c, k, v))                        \
  F(int, mosquitto_threaded_set, (client c, bool on), (c, on))                                         \
  F(int, mosquitto_max_inflight_messages_set, (client c, unsigned int n), (c, n))                      \
  F(int, mosquitto_username_pw_set, (client c, const char *u, const char *p), (c, u, p))               \
  F(int, mosquitto_will_set, (client c, const char *t, int n, const void *b, int q, bool r),           \
    (c, t, n, b, q, r))                                                                                \
  F(int, mosquitto_tls_set,                                                                            \
    (client c, const char *f, const char *d, const char *t, const char *k, password_callback p),       \
    (c, f, d, t, k, p))                                                                                \
  F(int, mosquitto_tls_opts_set, (client c, int r, const char *v, const char *s), (c, r, v, s))        \
  F(int, mosquitto_tls_insecure_set, (client c, bool on), (c, on))                                     \
  F(int, mosquitto_connect, (client c, const char *h, int p, int k), (c, h, p, k))                     \
  F(int, mosquitto_connect_async, (client c, const char *h, int p, int k), (c, h, p, k))               \
  F(int, mosquitto_reconnect, (client c), (c))                                                         \
  F(int, mosquitto_disconnect, (client c), (c))                                                        \
  F(int, mosquitto_publish,                                                                            \
    (client c, int *m, const char *t, int n, const void *b, int q, bool r), (c, m, t, n, b, q, r))     \
  F(int, mosquitto_subscribe, (client c, int *m, const char *t, int q), (c, m, t, q))                  \
  F(int, mosquitto_loop, (client c, int t, int n), (c, t, n))                                          \
  F(int, mosquitto_loop_start, (client c), (c))                                                        \
  F(int, mosquitto_loop_stop, (client c, bool force), (c, force))                                      \
  F(int, mosquitto_loop_read, (client c, int n), (c, n))                                               \
  F(int, mosquitto_loop_write, (client c, int n), (c, n))                                              \
  F(int, mosquitto_loop_misc, (client c), (c))                                                         \
  F(int, mosquitto_socket, (client c), (c))                                                            \
  F(bool, mosquitto_want_write, (client c), (c))                                                       \
  F(void, mosquitto_connect_callback_set, (client c, result_callback f), (c, f))                       \
  F(void, mosquitto_disconnect_callback_set, (client c, result_callback f), (c, f))                    \
  F(void, mosquitto_publish_callback_set, (client c, result_callback f), (c, f))                       \
  F(void, mosquitto_message_callback_set, (client c, message_callback f), (c, f))                      \
  F(void, mosquitto_log_callback_set, (client c, log_callback f), (c, f))                              \
  F(const char *, mosquitto_strerror, (int e), (e))                                                    \
  F(const char *, mosquitto_connack_string, (int e), (e))

static struct {
#define MEMBER(result, name, parameters, arguments) result(*name) parameters;
  FUNCTIONS(MEMBER)
} libmosquitto;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char unavailable[256];

static void load(void) {
  void *library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(unavailable, sizeof unavailable, "%s", dlerror());
    return;
  }
#define FIND(result, name, parameters, arguments)                                    \
  if (!(libmosquitto.name = (result(*) parameters)dlsym(library, #name))) {          \
    snprintf(unavailable, sizeof unavailable, "libmosquitto.so.1 has no %s", #name); \
    return;                                                                          \
  }
  FUNCTIONS(FIND)
}

const char *libmosquittoUnavailable(void) {
  pthread_once(&once, load);
  return unavailable[0] ? unavailable : NULL;
}

// Hidden, so that libmosquitto's own calls of them stay within libmosquitto.
#define DEFINE(result, name, parameters, arguments)              \
  __attribute__((visibility("hidden"))) result name parameters { \
    if (libmosquittoUnavailable()) abort();                      \
    return libmosquitto.name arguments;                          \
  }
FUNCTIONS(DEFINE)
