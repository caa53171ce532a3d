// libcurl for Swift. Swift cannot call the variadic functions curl_easy_setopt and curl_easy_getinfo. This header has one
// function for each type of argument.

#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

// Disables the macros that check the arguments, because they would hide the functions.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets a text option. libcurl copies the text.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets a list option. The list must live as long as the request.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_data(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets the callback that receives the bytes of a response.
static inline CURLcode ccurl_set_writer(CURL *easy, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets the callback that provides the bytes of a request.
static inline CURLcode ccurl_set_reader(CURL *easy, CURLoption option, curl_read_callback value) {
  return curl_easy_setopt(easy, option, value);
}

/// Lets a canceled request end without waiting for its name lookup. libcurl before 7.87 always waits.
static inline CURLcode ccurl_leave_resolver(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return ccurl_set_number(easy, CURLOPT_QUICK_EXIT, 1);
#else
  (void)easy;
  return CURLE_OK;
#endif
}

static inline CURLcode ccurl_get_number(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

#endif
