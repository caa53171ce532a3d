/// Why the database did not do something, without any text of the server's: that could quote a value.
enum DatabaseFailure: Error, Hashable {
  /// The server answered with an error.
  case server(ServerError)
  /// There is no connection to be had.
  case unreachable(Obstacle)
  /// Nothing came for so long.
  case silent(Duration)
  /// The connection broke off.
  case lost
  /// Nobody waits for the answer any more.
  case cancelled

  enum Obstacle: Hashable {
    case unknownHost
    case refused
    /// There is no such socket.
    case noSocket
    case noRoute
    /// The server wants a password, and there is none.
    case noPassword
    case noTLS
    /// The certificate's chain does not end at a root that is trusted.
    case untrustedCertificate
    /// The certificate is another host's.
    case otherHost
    /// The file of roots, certificates or keys cannot be read.
    case unreadableCertificateFile
    case tlsFailed
    /// None of the servers that the address names is such as it asks for (`target_session_attrs`).
    case unfitServer
    case brokenOff
  }
}

/// What a server says of an error that can be told without its words.
struct ServerError: Error, Hashable {
  /// As in appendix A of PostgreSQL's manual.
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

  /// The two characters in front.
  var category: String { String(state.prefix(2)) }

  /// Something about the rows and not about the table, the right or the machine: data exceptions and
  /// constraints. Not so a column that must not be NULL, which no row of ours leaves out; nor a violation of
  /// no constraint in particular, which is a partition that is missing.
  var isAboutRows: Bool {
    switch state {
    case "23502": false
    case "23514": constraint != nil
    default: category == "22" || category == "23"
    }
  }

  /// The database's encoding has no such character.
  var isAboutEncoding: Bool { state == "22P05" || state == "22021" }

  /// What row-level security makes of COPY, and of a row that a policy forbids; and what a missing right
  /// does.
  var mayBeRowSecurity: Bool { state == "0A000" || state == "42501" }

  /// There is no partition for a row.
  var isMissingPartition: Bool { state == "23514" && constraint == nil }

  /// A row with such a key is there already.
  var isDuplicate: Bool { state == "23505" }

  /// The same may succeed at once: another transaction stood in the way.
  var isCollision: Bool { state == "40001" || state == "40P01" }
}
