/// Why the certificate of a server does not prove who it is.
enum CertificateFault: Equatable {
  /// Its time is over, or that of an authority above it.
  case expired
  case notYetValid
  /// It is good, and another host's.
  case ofOtherHost
  /// Its chain does not end at an authority that is trusted, or has another fault.
  case untrusted

  /// - Parameter result: CURLINFO_SSL_VERIFYRESULT of a handshake that failed at the certificate: with
  ///   OpenSSL one number (`X509_V_ERR_…`, below 256), with GnuTLS a set of bits (`GNUTLS_CERT_…`) in which
  ///   that of "invalid" is always set.
  init(verifyResult result: Int) {
    let bits = GnuTLSBits(rawValue: result)
    self =
      switch result {
      // The name is looked at before OpenSSL's result is read (1), or after GnuTLS has found nothing (0).
      case 0, 1, OpenSSLError.hostMismatch, OpenSSLError.addressMismatch: .ofOtherHost
      case OpenSSLError.hasExpired: .expired
      case OpenSSLError.notYetValid: .notYetValid
      case _ where !bits.isSubset(of: [.invalid, .notActivated, .expired]): .untrusted
      case _ where bits.contains(.expired): .expired
      case _ where bits.contains(.notActivated): .notYetValid
      default: .untrusted
      }
  }

  /// Of `openssl/x509_vfy.h`.
  private enum OpenSSLError {
    static let notYetValid = 9
    static let hasExpired = 10
    static let hostMismatch = 62
    static let addressMismatch = 64
  }

  /// `gnutls_certificate_status_t` of `gnutls/gnutls.h`.
  private struct GnuTLSBits: OptionSet {
    let rawValue: Int
    static let invalid = Self(rawValue: 1 << 1)
    static let notActivated = Self(rawValue: 1 << 9)
    static let expired = Self(rawValue: 1 << 10)
  }
}
