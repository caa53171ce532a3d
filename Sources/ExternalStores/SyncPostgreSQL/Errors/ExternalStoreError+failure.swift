import HealthDataSync

/// Converts errors of the connection and the database to errors for the user.
extension ExternalStoreError {
  init(_ failure: PostgreSQLError, at address: PostgreSQLAddress) {
    let server = "PostgreSQL at \(address)"
    switch failure {
    case .server(let error):
      self.init(error, at: address)
    case .unreachable(let cause):
      self.init(cause, at: address)
    case .silent(let limit):
      self.init(
        "\(server) does not respond (\(limit.components.seconds) s): check whether it hangs or is overloaded",
        outlook: .passing)
    case .lost:
      self.init("\(server) closed the connection: see its log", outlook: .passing)
    case .cancelled:
      self.init("the transfer to \(server) was canceled", outlook: .passing)
    }
  }

  private init(_ cause: PostgreSQLError.Cause, at address: PostgreSQLAddress) {
    let server = "PostgreSQL at \(address)"
    self =
      switch cause {
      case .unknownHost:
        Self("the host name of \(server) cannot be resolved: check the address and DNS", outlook: .passing)
      case .refused:
        Self(
          "\(server) refuses connections: start it, and check host, port and listen_addresses",
          outlook: .passing)
      case .noSocket:
        Self("\(server) has no socket there: start it, or check the socket's directory", outlook: .passing)
      case .noRoute:
        Self("there is no route to \(server): check the network and the firewall", outlook: .passing)
      case .noPassword:
        Self(
          "\(server) requires the password of \(address.user): put it into the secret's file or PGPASSWORD",
          outlook: .lasting)
      case .noTLS:
        Self(
          "\(server) does not offer TLS: enable it there (ssl = on), or allow an unencrypted connection "
            + "with sslmode=disable in the address", outlook: .lasting)
      case .untrustedCertificate:
        Self(
          "the certificate of \(server) is not trusted (\(address.rootCertificates)) or "
            + "not valid now: give the CA's certificate with sslrootcert=FILE in the address, and "
            + "check the clock", outlook: .lasting)
      case .otherHost:
        Self(
          "the certificate of \(server) is for another host name: use the name in the certificate",
          outlook: .lasting)
      case .unreadableCertificateFile:
        Self(
          "a certificate or key for \(server) cannot be read: check the files in the address "
            + "(sslrootcert is \(address.rootCertificates))", outlook: .lasting)
      case .tlsFailed:
        Self("the TLS connection to \(server) failed: see its log", outlook: .lasting)
      case .unfitServer:
        Self(
          "\(server) does not match target_session_attrs of the address: use the address of the primary",
          outlook: .passing)
      case .brokenOff:
        Self("\(server) closed the connection: see its log", outlook: .passing)
      }
  }
}
