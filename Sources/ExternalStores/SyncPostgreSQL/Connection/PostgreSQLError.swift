/// An error of the connection or the database. It contains no text from the server, which could quote a value
/// of a sample.
enum PostgreSQLError: Error, Hashable {
  /// The server reported an error.
  case server(ServerError)
  /// The connection attempt failed.
  case unreachable(Cause)
  /// The server did not respond within the timeout.
  case silent(Duration)
  /// The connection was lost.
  case lost
  /// The caller canceled the operation.
  case cancelled

  enum Cause: Hashable {
    case unknownHost
    case refused
    /// The Unix socket does not exist.
    case noSocket
    case noRoute
    /// The server requires a password, but none was given.
    case noPassword
    case noTLS
    /// The chain of the server's certificate does not end at a trusted root.
    case untrustedCertificate
    /// The server's certificate belongs to another host.
    case otherHost
    /// A file with root certificates, a client certificate or a key cannot be read.
    case unreadableCertificateFile
    case tlsFailed
    /// No server in the address fits the setting `target_session_attrs`.
    case unfitServer
    case brokenOff
  }
}

/// An error that the server reported, without its text.
struct ServerError: Error, Hashable {
  /// The SQLSTATE code (appendix A of the PostgreSQL manual).
  let state: String
  let table: String?
  let column: String?
  let constraint: String?

  init(state: String, table: String? = nil, column: String? = nil, constraint: String? = nil) {
    self.state = state
    self.table = table
    self.column = column
    self.constraint = constraint
  }

  /// The class of the error: the first two characters of the code.
  var category: String { String(state.prefix(2)) }

  /// Whether the error is about the data of a row: a data exception or a violated constraint.
  ///
  /// Two constraint errors are not about data. A NULL in a NOT NULL column means that the table was altered,
  /// because hrgate writes all of its columns. A check violation without a constraint name means that a
  /// partition is missing.
  var isAboutRows: Bool {
    switch state {
    case "23502": false
    case "23514": constraint != nil
    default: category == "22" || category == "23"
    }
  }

  /// Whether a character cannot be stored in the database's encoding.
  var isAboutEncoding: Bool { state == "22P05" || state == "22021" }

  /// Whether row-level security or a missing permission may be the cause. With row-level security, COPY fails
  /// with 0A000, and rows are rejected with 42501.
  var mayBeRowSecurity: Bool { state == "0A000" || state == "42501" }

  /// Whether the table has no partition for a row.
  var isMissingPartition: Bool { state == "23514" && constraint == nil }

  /// Whether a row with the same key already exists.
  var isDuplicate: Bool { state == "23505" }

  /// Whether a conflict with another transaction is the cause, so that an immediate retry may succeed.
  var isCollision: Bool { state == "40001" || state == "40P01" }
}

/// Parses libpq's message for a failed connection attempt. The message is not shown to users, only searched
/// for the cause and the server's error code.
struct ConnectionMessage {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// The error from the last server that was tried.
  var failure: PostgreSQLError {
    if let state = serverState { return .server(ServerError(state: state)) }
    return .unreachable(Self.signs.first { text.contains($0.words) }?.cause ?? .brokenOff)
  }

  /// The SQLSTATE code in the message. It follows the severity, which may be in any language: "FATAL:
  /// 28P01".
  private var serverState: String? {
    let last = text.split(separator: "\n").last { !$0.isEmpty } ?? ""
    guard let code = last.split(separator: " ").last, code.utf8.count == 5,
      code.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }),
      code.utf8.contains(where: { (48...57).contains($0) })
    else { return nil }
    return String(code)
  }

  /// Words in libpq's messages and the errors that they indicate. The messages are in English unless the
  /// program calls setlocale(3). The first match wins.
  private static let signs: [(words: String, cause: PostgreSQLError.Cause)] = [
    ("no password supplied", .noPassword),
    ("does not match host name", .otherHost),
    ("certificate verify failed", .untrustedCertificate),
    ("server does not support SSL", .noTLS),
    ("root certificate file", .unreadableCertificateFile),
    ("certificate file", .unreadableCertificateFile),
    ("private key file", .unreadableCertificateFile),
    ("SSL", .tlsFailed),
    ("translate host name", .unknownHost),
    ("parse network address", .unknownHost),
    ("Connection refused", .refused),
    ("No such file or directory", .noSocket),
    ("unreachable", .noRoute),
    ("No route to host", .noRoute),
    ("timed out", .noRoute),
    ("session is", .unfitServer),
    ("server is", .unfitServer),
  ]
}
