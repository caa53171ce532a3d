internal import CCurl

/// Why no answer came. Of libcurl's words only those for a code are in it: others may hold a URL or octets.
enum TransferFailure: Error, Equatable {
  /// There is no way to the server: no such name, no route, nobody listens.
  case unreachable
  /// It did not answer within so long.
  case silent(Duration)
  case certificate(CertificateFault)
  /// The file of authorities cannot be read as certificates.
  case unreadableAuthorities
  case noTLS
  /// The answer is longer than it may be.
  case tooLong
  /// The connection ended before the answer did, or what came is no HTTP.
  case brokenOff
  /// Anything else, in libcurl's words for its code.
  case other(String)
  /// Nobody waits for the answer any more.
  case cancelled
  /// This end closed the connection.
  case closed

  /// - Parameters:
  ///   - limit: which of the limits of time it is that has passed, if one has.
  ///   - verifyResult: CURLINFO_SSL_VERIFYRESULT.
  init(_ code: CURLcode, limit: Duration, verifyResult: Int) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: self = .unreachable
    case CURLE_OPERATION_TIMEDOUT: self = .silent(limit)
    case CURLE_PEER_FAILED_VERIFICATION:
      self = .certificate(CertificateFault(verifyResult: verifyResult))
    case CURLE_SSL_CACERT_BADFILE: self = .unreadableAuthorities
    case CURLE_SSL_CONNECT_ERROR: self = .noTLS
    // It took the connection, and then let it go. The one of rewinding is libcurl's word for a request that
    // went over a connection which the server then closed, and which is not sent twice.
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND:
      self = .brokenOff
    // It spoke, and not as HTTP/1.1 has it. UNSUPPORTED_PROTOCOL is an answer without a status line.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: self = .brokenOff
    default: self.init(code)
    }
  }

  /// What a request is not even begun for.
  init(_ code: CURLcode) { self = .other(Self.text(curl_easy_strerror(code), code.rawValue)) }

  init(_ code: CURLMcode) { self = .other(Self.text(curl_multi_strerror(code), code.rawValue)) }

  private static func text(_ words: UnsafePointer<CChar>?, _ code: some BinaryInteger) -> String {
    "\(words.map { String(cString: $0) } ?? "nothing"), error \(code)"
  }
}
