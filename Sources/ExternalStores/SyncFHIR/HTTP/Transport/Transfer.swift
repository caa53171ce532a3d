internal import CCurl
internal import Foundation

/// The data that libcurl sends and receives for one request. It is used only on the connection's thread.
final class Transfer {
  /// Maximum size of a response body in bytes, far more than a response to one of our requests.
  static let maximumResponseSize = 16 << 20

  private let body: Data
  private var sent = 0
  private var fields: [String: String] = [:]
  private var received = Data()
  private(set) var isTooLong = false

  init(_ body: Data?) { self.body = body ?? Data() }

  func response(_ status: Int) -> HTTPResponse {
    HTTPResponse(
      status: status, location: fields["location"], retryAfter: fields["retry-after"], date: fields["date"],
      body: received)
  }

  // MARK: - libcurl callbacks

  /// Registers this object for the callbacks of a handle. The object must live until the request ends.
  func attach(to easy: UnsafeMutableRawPointer) {
    let this = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_data(easy, CURLOPT_READDATA, this)
    ccurl_set_data(easy, CURLOPT_HEADERDATA, this)
    ccurl_set_data(easy, CURLOPT_WRITEDATA, this)
    ccurl_set_reader(easy, CURLOPT_READFUNCTION) { bytes, size, count, this in
      Transfer.at(this).give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }
    ccurl_set_writer(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, this in
      Transfer.at(this).takeField(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    ccurl_set_writer(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, this in
      Transfer.at(this).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
  }

  private static func at(_ place: UnsafeMutableRawPointer?) -> Transfer {
    guard let place else { preconditionFailure("libcurl was given a transfer") }
    return Unmanaged<Transfer>.fromOpaque(place).takeUnretainedValue()
  }

  /// Copies the next part of the request body.
  ///
  /// - Returns: The number of bytes copied, or 0 at the end.
  private func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let part = body.dropFirst(sent).prefix(buffer.count)
    part.copyBytes(to: buffer)
    sent += part.count
    return part.count
  }

  /// Reads one header line. A status line discards the fields read so far, because they may belong to an
  /// interim response such as 100 Continue.
  private func takeField(_ line: UnsafeRawBufferPointer) -> Int {
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") { fields = [:] }
    let parts = text.split(separator: ":", maxSplits: 1)
    if parts.count == 2 {
      let value = parts[1].trimmingCharacters(in: .whitespacesAndNewlines)
      fields[parts[0].lowercased()] = fields[parts[0].lowercased()] ?? value
    }
    return line.count
  }

  /// Appends a part of the response body.
  ///
  /// - Returns: The number of bytes accepted. If it differs from the number received, libcurl aborts the
  ///   request.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard received.count + bytes.count <= Self.maximumResponseSize else {
      isTooLong = true
      return 0
    }
    received.append(contentsOf: bytes)
    return bytes.count
  }
}

/// The libcurl options of a request.
///
/// All other options keep libcurl's defaults. The code relies on these: certificates and host names are
/// verified, redirects are not followed, and `~/.netrc` is not read.
final class RequestOptions {
  private let request: HTTPRequest
  private let settings: HTTPConnection.Settings
  private var fields: UnsafeMutablePointer<curl_slist>?

  init(_ request: HTTPRequest, _ settings: HTTPConnection.Settings) {
    self.request = request
    self.settings = settings
    // With an empty `Expect:`, libcurl does not wait for `100 Continue` before sending a body of 1 MB or
    // more.
    for field in request.fields + ["Expect:"] { fields = curl_slist_append(fields, field) ?? fields }
  }

  /// Frees the header list. libcurl uses it until the request ends, so this object must live that long.
  deinit { curl_slist_free_all(fields) }

  /// Sets all options.
  ///
  /// - Returns: The first error, or `CURLE_OK`.
  func set(on easy: UnsafeMutableRawPointer) -> CURLcode {
    var codes = [
      // Timeouts must not use signals, because signal handlers are shared by the whole process.
      ccurl_set_number(easy, CURLOPT_NOSIGNAL, 1),
      ccurl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(settings.connecting)),
      ccurl_set_number(easy, CURLOPT_TIMEOUT_MS, milliseconds(settings.whole)),
      ccurl_set_number(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
      // An empty proxy makes libcurl ignore `https_proxy`, so that it connects only to the server that the
      // user named.
      ccurl_set_text(easy, CURLOPT_PROXY, ""),
      ccurl_set_text(easy, CURLOPT_URL, request.url),
      ccurl_set_number(easy, CURLOPT_PATH_AS_IS, 1),
      ccurl_set_list(easy, CURLOPT_HTTPHEADER, fields),
    ]
    // libcurl before 7.87 lacks this option and waits for the name lookup to finish.
    ccurl_leave_resolver(easy)
    if let file = settings.certificateAuthority {
      codes.append(ccurl_set_text(easy, CURLOPT_CAINFO, file))
      // Without this, libcurl would also trust the certificates in the system's directory.
      codes.append(ccurl_set_text(easy, CURLOPT_CAPATH, nil))
    }
    if let body = request.body {
      codes.append(ccurl_set_number(easy, CURLOPT_POST, 1))
      codes.append(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
    }
    return codes.first { $0 != CURLE_OK } ?? CURLE_OK
  }

  private func milliseconds(_ duration: Duration) -> Int {
    // 0 means no timeout in libcurl.
    max(1, Int((duration / .milliseconds(1)).rounded(.up)))
  }
}
