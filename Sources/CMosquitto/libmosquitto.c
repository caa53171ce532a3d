#include "CMosquitto.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct mosquitto *client;
typedef mosquitto_property *properties;
typedef const mosquitto_property *read_properties;
typedef int (*password_callback)(char *, int, int, void *);
typedef void (*connect_callback)(struct mosquitto *, void *, int, int, read_properties);
typedef void (*disconnect_callback)(struct mosquitto *, void *, int, read_properties);
typedef void (*publish_callback)(struct mosquitto *, void *, int, int, read_properties);
typedef void (*subscribe_callback)(struct mosquitto *, void *, int, int, const int *, read_properties);
typedef void (*message_callback)(
    struct mosquitto *, void *, const struct mosquitto_message *, read_properties);
typedef void (*log_callback)(struct mosquitto *, void *, int, const char *);

// The functions that are used: result, name, parameters, arguments.
#define FUNCTIONS(F)                                                                                   \
  F(int, mosquitto_lib_init, (void), ())                                                               \
  F(client, mosquitto_new, (const char *id, bool clean, void *o), (id, clean, o))                      \
  F(void, mosquitto_destroy, (client c), (c))                                                          \
  F(int, mosquitto_int_option, (client c, enum mosq_opt_t k, int v), (c, k, v))                        \
  F(int, mosquitto_username_pw_set, (client c, const char *u, const char *p), (c, u, p))               \
  F(int, mosquitto_will_set_v5,                                                                        \
    (client c, const char *t, int n, const void *b, int q, bool r, properties p),                      \
    (c, t, n, b, q, r, p))                                                                             \
  F(int, mosquitto_tls_set,                                                                            \
    (client c, const char *f, const char *d, const char *t, const char *k, password_callback p),       \
    (c, f, d, t, k, p))                                                                                \
  F(int, mosquitto_tls_opts_set, (client c, int r, const char *v, const char *s), (c, r, v, s))        \
  F(int, mosquitto_connect_bind_async,                                                                 \
    (client c, const char *h, int p, int k, const char *b), (c, h, p, k, b))                           \
  F(int, mosquitto_disconnect_v5, (client c, int r, read_properties p), (c, r, p))                     \
  F(int, mosquitto_publish_v5,                                                                         \
    (client c, int *m, const char *t, int n, const void *b, int q, bool r, read_properties p),         \
    (c, m, t, n, b, q, r, p))                                                                          \
  F(int, mosquitto_subscribe_v5,                                                                       \
    (client c, int *m, const char *t, int q, int o, read_properties p), (c, m, t, q, o, p))            \
  F(int, mosquitto_loop_read, (client c, int n), (c, n))                                               \
  F(int, mosquitto_loop_write, (client c, int n), (c, n))                                              \
  F(int, mosquitto_loop_misc, (client c), (c))                                                         \
  F(int, mosquitto_socket, (client c), (c))                                                            \
  F(bool, mosquitto_want_write, (client c), (c))                                                       \
  F(void, mosquitto_connect_v5_callback_set, (client c, connect_callback f), (c, f))                   \
  F(void, mosquitto_disconnect_v5_callback_set, (client c, disconnect_callback f), (c, f))             \
  F(void, mosquitto_publish_v5_callback_set, (client c, publish_callback f), (c, f))                   \
  F(void, mosquitto_subscribe_v5_callback_set, (client c, subscribe_callback f), (c, f))               \
  F(void, mosquitto_message_v5_callback_set, (client c, message_callback f), (c, f))                   \
  F(void, mosquitto_log_callback_set, (client c, log_callback f), (c, f))                              \
  F(int, mosquitto_property_add_int32, (properties *p, int k, uint32_t v), (p, k, v))                  \
  F(read_properties, mosquitto_property_read_int32,                                                    \
    (read_properties p, int k, uint32_t *v, bool s), (p, k, v, s))                                     \
  F(void, mosquitto_property_free_all, (properties *p), (p))                                           \
  F(const char *, mosquitto_reason_string, (int r), (r))                                               \
  F(const char *, mosquitto_strerror, (int e), (e))

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
