#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// Macros that check the arguments of the functions of that name.
#undef curl_easy_setopt
#undef curl_easy_getinfo

typedef struct curl_slist *list;

// The functions that are used: result, name, parameters, arguments.
#define FUNCTIONS(F)                                                                                \
  F(CURLcode, curl_global_init, (long f), (f))                                                      \
  F(CURL *, curl_easy_init, (void), ())                                                             \
  F(void, curl_easy_reset, (CURL *e), (e))                                                          \
  F(void, curl_easy_cleanup, (CURL *e), (e))                                                        \
  F(CURLM *, curl_multi_init, (void), ())                                                           \
  F(CURLMcode, curl_multi_add_handle, (CURLM *m, CURL *e), (m, e))                                  \
  F(CURLMcode, curl_multi_remove_handle, (CURLM *m, CURL *e), (m, e))                               \
  F(CURLMcode, curl_multi_perform, (CURLM *m, int *n), (m, n))                                      \
  F(CURLMsg *, curl_multi_info_read, (CURLM *m, int *n), (m, n))                                    \
  F(CURLMcode, curl_multi_poll, (CURLM *m, struct curl_waitfd w[], unsigned int n, int t, int *r),  \
    (m, w, n, t, r))                                                                                \
  F(CURLMcode, curl_multi_wakeup, (CURLM *m), (m))                                                  \
  F(CURLMcode, curl_multi_cleanup, (CURLM *m), (m))                                                 \
  F(const char *, curl_easy_strerror, (CURLcode c), (c))                                            \
  F(const char *, curl_multi_strerror, (CURLMcode c), (c))                                          \
  F(list, curl_slist_append, (list l, const char *s), (l, s))                                       \
  F(void, curl_slist_free_all, (list l), (l))

// Those that take any type, which the functions below use.
#define VARIADIC(F)                                                 \
  F(CURLcode, curl_easy_setopt, (CURL *e, CURLoption o, ...), )     \
  F(CURLcode, curl_easy_getinfo, (CURL *e, CURLINFO i, ...), )

static struct {
#define MEMBER(result, name, parameters, arguments) result(*name) parameters;
  FUNCTIONS(MEMBER)
  VARIADIC(MEMBER)
} libcurl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char unavailable[256];

static void load(void) {
  // The same library with OpenSSL, and with GnuTLS, which some systems have alone.
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(unavailable, sizeof unavailable, "%s", dlerror());
    library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    unavailable[0] = 0;
  }
#define FIND(result, name, parameters, arguments)                               \
  if (!(libcurl.name = (result(*) parameters)dlsym(library, #name))) {          \
    snprintf(unavailable, sizeof unavailable, "libcurl.so.4 has no %s", #name); \
    return;                                                                     \
  }
  FUNCTIONS(FIND)
  VARIADIC(FIND)
}

const char *libcurlUnavailable(void) {
  pthread_once(&once, load);
  return unavailable[0] ? unavailable : NULL;
}

// Hidden, so that libcurl's own calls of them stay within libcurl.
#define DEFINE(result, name, parameters, arguments)              \
  __attribute__((visibility("hidden"))) result name parameters { \
    if (libcurlUnavailable()) abort();                           \
    return libcurl.name arguments;                               \
  }
FUNCTIONS(DEFINE)

#define TYPED(name, function, what, type)               \
  CURLcode name(CURL *easy, what option, type value) {  \
    if (libcurlUnavailable()) abort();                  \
    return libcurl.function(easy, option, value);       \
  }
TYPED(ccurl_set_number, curl_easy_setopt, CURLoption, long)
TYPED(ccurl_set_size, curl_easy_setopt, CURLoption, curl_off_t)
TYPED(ccurl_set_text, curl_easy_setopt, CURLoption, const char *)
TYPED(ccurl_set_list, curl_easy_setopt, CURLoption, struct curl_slist *)
TYPED(ccurl_set_data, curl_easy_setopt, CURLoption, void *)
TYPED(ccurl_set_writer, curl_easy_setopt, CURLoption, curl_write_callback)
TYPED(ccurl_set_reader, curl_easy_setopt, CURLoption, curl_read_callback)
TYPED(ccurl_get_number, curl_easy_getinfo, CURLINFO, long *)
TYPED(ccurl_get_size, curl_easy_getinfo, CURLINFO, curl_off_t *)

CURLcode ccurl_leave_resolver(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return ccurl_set_number(easy, CURLOPT_QUICK_EXIT, 1);
#else
  return CURLE_OK;
#endif
}
