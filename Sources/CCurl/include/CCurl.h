// libcurl, taken up when it is first needed: a gateway that carries nothing to a FHIR server does not pay for
// it, nor for the TLS, LDAP and HTTP/2 that it brings.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

/// Why libcurl cannot be used on this machine; NULL where it can. Ask before any other function is called:
/// they end the program where it is missing.
const char *libcurlUnavailable(void);

// curl_easy_setopt and curl_easy_getinfo take whatever the option says, which Swift cannot: one function for
// each type.
CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value);
/// libcurl copies it.
CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value);
/// It must live as long as the request.
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode ccurl_set_data(CURL *easy, CURLoption option, void *value);
/// What takes the octets of an answer.
CURLcode ccurl_set_writer(CURL *easy, CURLoption option, curl_write_callback value);
/// What gives the octets of a request.
CURLcode ccurl_set_reader(CURL *easy, CURLoption option, curl_read_callback value);
/// A request that is given up waits for no name that is being looked up. Before 7.87 it does.
CURLcode ccurl_leave_resolver(CURL *easy);
CURLcode ccurl_get_number(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_size(CURL *easy, CURLINFO info, curl_off_t *value);

#endif
