import HealthDataSync

/// Errors of the database, with advice for the user.
extension ExternalStoreError {
  init(_ failure: DatabaseFailure, at address: PostgreSQLAddress) {
    let server = "PostgreSQL at \(address)"
    switch failure {
    case .server(let error):
      self.init(error, at: address)
    case .unreachable(let obstacle):
      self.init(obstacle, at: address)
    case .silent(let limit):
      self.init(
        "\(server) does not answer (\(limit.components.seconds) s): see whether it hangs or is overloaded",
        outlook: .passing)
    case .lost:
      self.init("\(server) broke the connection off: its log says why", outlook: .passing)
    case .cancelled:
      self.init("the transfer to \(server) was cancelled", outlook: .passing)
    }
  }

  private init(_ obstacle: DatabaseFailure.Obstacle, at address: PostgreSQLAddress) {
    let server = "PostgreSQL at \(address)"
    self =
      switch obstacle {
      case .unknownHost:
        Self("the name of \(server) is not known: check the address and the name service", outlook: .passing)
      case .refused:
        Self(
          "\(server) is not there: start it, check host and port, and that it listens there (listen_addresses)",
          outlook: .passing)
      case .noSocket:
        Self("\(server) has no socket there: start it, or check the socket's folder", outlook: .passing)
      case .noRoute:
        Self("there is no way to \(server): check the network and its firewall", outlook: .passing)
      case .noPassword:
        Self(
          "\(server) asks for the password of \(address.user): give it in the secret's file or in PGPASSWORD",
          outlook: .lasting)
      case .noTLS:
        Self(
          "\(server) offers no TLS: switch it on there (ssl = on), or allow a connection that others can read "
            + "with sslmode=disable in the address", outlook: .lasting)
      case .untrustedCertificate:
        Self(
          "the certificate of \(server) is of no authority that is trusted (\(address.rootCertificates)), or "
            + "is not valid now: name the authority's certificate with sslrootcert=FILE in the address, and "
            + "check the clock", outlook: .lasting)
      case .otherHost:
        Self(
          "the certificate of \(server) is another host's: use the name that stands in it", outlook: .lasting)
      case .unreadableCertificateFile:
        Self(
          "a certificate or key for \(server) cannot be read: check the files that the address names "
            + "(sslrootcert is \(address.rootCertificates))", outlook: .lasting)
      case .tlsFailed:
        Self("no TLS connection to \(server) comes about: its log says why", outlook: .lasting)
      case .unfitServer:
        Self(
          "\(server) is not such as the address asks for (target_session_attrs): name the primary",
          outlook: .passing)
      case .brokenOff:
        Self("\(server) broke the connection off: its log says why", outlook: .passing)
      }
  }
}
