internal import CCurl

/// How libcurl is to carry a request out. What is not set here is as libcurl has it; of that, this relies
/// upon: certificates and the names in them are verified, redirects are not followed, `~/.netrc` is not read.
final class RequestOptions {
  private let request: HTTPRequest
  private let settings: HTTPConnection.Settings
  private var fields: UnsafeMutablePointer<curl_slist>?

  init(_ request: HTTPRequest, _ settings: HTTPConnection.Settings) {
    self.request = request
    self.settings = settings
    // Without an `Expect: 100-continue`, for which libcurl would wait before it sends a body of a megabyte.
    for field in request.fields + ["Expect:"] { fields = curl_slist_append(fields, field) ?? fields }
  }

  /// libcurl uses the fields until the request is over; this must live as long.
  deinit { curl_slist_free_all(fields) }

  /// - Returns: what libcurl says to the first of them that it does not take; else CURLE_OK.
  func set(on easy: UnsafeMutableRawPointer) -> CURLcode {
    var codes = [
      // Limits of time without signals, of which a program has but one set.
      ccurl_set_number(easy, CURLOPT_NOSIGNAL, 1),
      ccurl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(settings.connecting)),
      ccurl_set_number(easy, CURLOPT_TIMEOUT_MS, milliseconds(settings.whole)),
      ccurl_set_number(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
      // None, whatever `https_proxy` says: the server that the user named is spoken to, and nobody else.
      ccurl_set_text(easy, CURLOPT_PROXY, ""),
      ccurl_set_text(easy, CURLOPT_URL, request.url),
      ccurl_set_number(easy, CURLOPT_PATH_AS_IS, 1),
      ccurl_set_list(easy, CURLOPT_HTTPHEADER, fields),
    ]
    // Older ones do not know it, and wait.
    ccurl_leave_resolver(easy)
    if let file = settings.certificateAuthority {
      codes.append(ccurl_set_text(easy, CURLOPT_CAINFO, file))
      // The system's folder, which would be trusted beside the file.
      codes.append(ccurl_set_text(easy, CURLOPT_CAPATH, nil))
    }
    if let body = request.body {
      codes.append(ccurl_set_number(easy, CURLOPT_POST, 1))
      codes.append(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
    }
    return codes.first { $0 != CURLE_OK } ?? CURLE_OK
  }

  private func milliseconds(_ duration: Duration) -> Int {
    // 0 would be none.
    max(1, Int((duration / .milliseconds(1)).rounded(.up)))
  }
}
