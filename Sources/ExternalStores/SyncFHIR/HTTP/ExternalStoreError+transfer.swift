internal import HealthDataSync

/// Creates errors for requests without a response. Their texts say what the user can do.
extension ExternalStoreError {
  init(_ failure: TransferError, from address: FHIRAddress) {
    let host = address.host
    switch failure {
    case .unreachable:
      self.init("\(host) cannot be reached: start it, or correct its name or port", outlook: .passing)
    case .silent(let limit):
      self.init(
        "\(host) did not respond within \(Int((limit / .seconds(1)).rounded(.up))) s: check whether it hangs or "
          + "is overloaded", outlook: .passing)
    case .certificate(let fault):
      self.init(fault, of: host)
    case .unreadableAuthorities:
      self = .unreadable(address.certificateAuthority)
    case .noTLS:
      // A server that is restarting or overloaded also closes connections this way, so the error may be
      // temporary.
      self.init(
        "\(host) does not use TLS at this address, or closed the connection: check its port",
        outlook: .passing)
    case .tooLong:
      self.init(
        "\(host) sent a response that is too large for a FHIR server: check the base of the URL",
        outlook: .lasting)
    case .brokenOff:
      self.init(
        "\(host) closed the connection during a response: see its log", outlook: .passing)
    case .other(let words):
      self.init(
        "a request to \(host) failed (libcurl says: \(words)): hrgate tries again; check the resources of this computer, "
          + "and check the URL", outlook: .passing)
    case .cancelled, .closed:
      self = .closed(host)
    }
  }

  private init(_ fault: CertificateError, of host: String) {
    let sentence =
      switch fault {
      case .expired:
        "the certificate of \(host), or of an authority above it, has expired: ask its administrator to renew "
          + "it; if it has not, set this computer's clock"
      case .notYetValid:
        "the certificate of \(host), or of an authority above it, is not valid yet: set this computer's "
          + "clock; if that is right, ask the server's administrator to correct the certificate"
      case .ofOtherHost:
        "the certificate of \(host) is for another host name: use the name in the certificate"
      case .untrusted:
        "\(host) has a certificate that this computer does not trust: if it is from your own CA, "
          + "give its file with ?ca=/path"
      }
    self.init(sentence, outlook: .lasting)
  }

  static func closed(_ host: String) -> ExternalStoreError {
    ExternalStoreError(
      "the connection to \(host) is closed: the next attempt opens it", outlook: .passing)
  }

  private static func unreadable(_ file: String?) -> ExternalStoreError {
    guard let file else {
      return ExternalStoreError(
        "this computer has no trusted CA certificates: install ca-certificates, or give a "
          + "file of them with ?ca=/path", outlook: .lasting)
    }
    return ExternalStoreError(
      "the file \(file) of the setting ca cannot be read as PEM certificates: give another file",
      outlook: .lasting)
  }
}
