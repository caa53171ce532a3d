internal import CCurl

/// The reason why a request got no response. It contains only libcurl's fixed text for an error code, because
/// other messages may contain a URL or data.
enum TransferError: Error, Equatable {
  /// The server cannot be reached: unknown host name, no route, or connection refused.
  case unreachable
  /// The server did not respond within the timeout.
  case silent(Duration)
  case certificate(CertificateError)
  /// The PEM file of trusted certificate authorities cannot be read.
  case unreadableAuthorities
  case noTLS
  /// The response exceeds the size limit.
  case tooLong
  /// The connection ended before the response was complete, or the response is not HTTP.
  case brokenOff
  /// Another error, with libcurl's text for its code.
  case other(String)
  /// The caller canceled the request.
  case cancelled
  /// The connection was closed by this program.
  case closed

  /// Creates the reason from an error code of libcurl.
  ///
  /// - Parameters:
  ///   - limit: The timeout that expired, if the code means a timeout.
  ///   - verifyResult: The value of CURLINFO_SSL_VERIFYRESULT.
  init(_ code: CURLcode, limit: Duration, verifyResult: Int) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: self = .unreachable
    case CURLE_OPERATION_TIMEDOUT: self = .silent(limit)
    case CURLE_PEER_FAILED_VERIFICATION:
      self = .certificate(CertificateError(verifyResult: verifyResult))
    case CURLE_SSL_CACERT_BADFILE: self = .unreadableAuthorities
    case CURLE_SSL_CONNECT_ERROR: self = .noTLS
    // The server accepted the connection and then closed it. libcurl reports SEND_FAIL_REWIND if the server
    // closed an idle connection just as a request was sent on it, and the request cannot be repeated.
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND:
      self = .brokenOff
    // The response is not HTTP/1.1. libcurl reports UNSUPPORTED_PROTOCOL if the status line is missing.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: self = .brokenOff
    default: self.init(code)
    }
  }

  /// Creates the reason for a request that could not be started.
  init(_ code: CURLcode) { self = .other(Self.text(curl_easy_strerror(code), code.rawValue)) }

  init(_ code: CURLMcode) { self = .other(Self.text(curl_multi_strerror(code), code.rawValue)) }

  private static func text(_ words: UnsafePointer<CChar>?, _ code: some BinaryInteger) -> String {
    "\(words.map { String(cString: $0) } ?? "nothing"), error \(code)"
  }
}

/// The reason why a server's certificate failed verification.
enum CertificateError: Equatable {
  /// The certificate, or one of the authorities in its chain, has expired.
  case expired
  case notYetValid
  /// The certificate is valid, but for another host.
  case ofOtherHost
  /// The chain does not end at a trusted authority, or another check failed.
  case untrusted

  /// Creates the reason from a verification result.
  ///
  /// - Parameter result: The value of CURLINFO_SSL_VERIFYRESULT after the server's certificate was rejected.
  ///   OpenSSL reports one number (`X509_V_ERR_…`, below 256). GnuTLS reports a set of bits
  ///   (`GNUTLS_CERT_…`). The bit "invalid" is always set.
  init(verifyResult result: Int) {
    let bits = GnuTLSBits(rawValue: result)
    self =
      switch result {
      // If libcurl itself finds that the host name does not match, the result is 1 with OpenSSL and 0 (no
      // error) with GnuTLS.
      case 0, 1, OpenSSLError.hostMismatch, OpenSSLError.addressMismatch: .ofOtherHost
      case OpenSSLError.hasExpired: .expired
      case OpenSSLError.notYetValid: .notYetValid
      case _ where !bits.isSubset(of: [.invalid, .notActivated, .expired]): .untrusted
      case _ where bits.contains(.expired): .expired
      case _ where bits.contains(.notActivated): .notYetValid
      default: .untrusted
      }
  }

  /// Verification results from `openssl/x509_vfy.h`.
  private enum OpenSSLError {
    static let notYetValid = 9
    static let hasExpired = 10
    static let hostMismatch = 62
    static let addressMismatch = 64
  }

  /// The bits of `gnutls_certificate_status_t` from `gnutls/gnutls.h`.
  private struct GnuTLSBits: OptionSet {
    let rawValue: Int
    static let invalid = Self(rawValue: 1 << 1)
    static let notActivated = Self(rawValue: 1 << 9)
    static let expired = Self(rawValue: 1 << 10)
  }
}
