internal import HealthDataSync

/// Errors for requests without a response, with advice.
extension ExternalStoreError {
  init(_ failure: TransferFailure, from address: FHIRAddress) {
    let host = address.host
    switch failure {
    case .unreachable:
      self.init("\(host) cannot be reached: start it, or correct its name or port", outlook: .passing)
    case .silent(let limit):
      self.init(
        "\(host) did not answer within \(Int((limit / .seconds(1)).rounded(.up))) s: see whether it hangs or "
          + "is overloaded", outlook: .passing)
    case .certificate(let fault):
      self.init(fault, of: host)
    case .unreadableAuthorities:
      self = .unreadable(address.certificateAuthority)
    case .noTLS:
      // A server that restarts or is overloaded also ends the connection in this way, so the error is
      // temporary.
      self.init(
        "\(host) does not speak TLS at this address, or broke off before it did: check its port",
        outlook: .passing)
    case .tooLong:
      self.init(
        "\(host) answers with more than a FHIR server says: check the base of the URL", outlook: .lasting)
    case .brokenOff:
      self.init(
        "\(host) broke the connection off in the middle of an answer: its log says why", outlook: .passing)
    case .other(let words):
      self.init(
        "a request to \(host) failed (libcurl says: \(words)): it is tried again; see what runs short here, "
          + "and check the URL", outlook: .passing)
    case .cancelled, .closed:
      self = .closed(host)
    }
  }

  private init(_ fault: CertificateFault, of host: String) {
    let sentence =
      switch fault {
      case .expired:
        "the certificate of \(host), or of an authority above it, has expired: have its administrator renew "
          + "it; if it has not, set this computer's clock"
      case .notYetValid:
        "the certificate of \(host), or of an authority above it, is not valid yet: set this computer's "
          + "clock; if that is right, have the server's administrator mend the certificate"
      case .ofOtherHost:
        "the certificate of \(host) is another host's: use the name that stands in it"
      case .untrusted:
        "\(host) has a certificate that this computer does not trust: if it is your own authority's, "
          + "give its file with ?ca=/path"
      }
    self.init(sentence, outlook: .lasting)
  }

  static func closed(_ host: String) -> ExternalStoreError {
    ExternalStoreError(
      "the connection to \(host) is closed: it is opened with the next attempt", outlook: .passing)
  }

  private static func unreadable(_ file: String?) -> ExternalStoreError {
    guard let file else {
      return ExternalStoreError(
        "this computer has no authorities to trust: install its certificates (ca-certificates), or name a "
          + "file of them with ?ca=/path", outlook: .lasting)
    }
    return ExternalStoreError(
      "\(file), the file of ca, cannot be read as certificates (PEM): name one that can", outlook: .lasting)
  }
}
