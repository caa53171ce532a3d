import HealthDataSync

/// Converts PostgreSQL's error codes (appendix A of the manual) to errors for the user.
extension ExternalStoreError {
  init(_ error: ServerError, at address: PostgreSQLAddress) {
    let server = "PostgreSQL at \(address)"
    self =
      Self.ofAccess(error.state, server, address) ?? Self.ofMachine(error.state, server)
      ?? Self.ofSchema(error, server)
      ?? Self(
        "\(server) failed with error \(error.state): see its log",
        outlook: Self.passingCategories.contains(error.category) ? .passing : .lasting)
  }

  /// The classes of temporary errors: connection exception, transaction rollback, insufficient resources,
  /// object not in prerequisite state, operator intervention, system error.
  private static let passingCategories: Set<String> = ["08", "40", "53", "55", "57", "58"]

  private static func ofAccess(_ state: String, _ server: String, _ address: PostgreSQLAddress) -> Self? {
    switch state {
    case "28P01":
      Self(
        "\(server) rejects the password of \(address.user): put the right one into the secret's file",
        outlook: .lasting)
    case "28000":
      Self(
        "\(server) rejects \(address.user) from here: create the role (createuser \(address.user)) or allow "
          + "it in pg_hba.conf", outlook: .lasting)
    case "3D000":
      Self(
        "\(server) has no database \(address.database): create it (createdb \(address.database)) or change the "
          + "address", outlook: .lasting)
    case "42501":
      Self(
        "\(server) denies \(address.user) required rights: GRANT CREATE ON DATABASE \(address.database) TO "
          + "\(address.user), and if another role owns the schema hrgate, GRANT that role to "
          + "\(address.user)", outlook: .lasting)
    default: nil
    }
  }

  private static func ofMachine(_ state: String, _ server: String) -> Self? {
    switch state {
    case "25006":
      Self("\(server) is read-only, like a standby: use the address of the primary", outlook: .lasting)
    case "53100":
      Self("the disk of \(server) is full: free space there", outlook: .lasting)
    case "53200":
      Self("\(server) is out of memory: close connections there", outlook: .passing)
    case "53300":
      Self(
        "\(server) has no free connection: raise max_connections there, or close some", outlook: .passing)
    case "55P03":
      Self(
        "another session holds a lock on the schema hrgate of \(server): end that session "
          + "(pg_stat_activity)", outlook: .passing)
    case "57014":
      Self(
        "\(server) did not finish in time: check what slows it down (pg_stat_activity)", outlook: .passing)
    case "57P01", "57P02", "57P03":
      Self("\(server) is shutting down or starting", outlook: .passing)
    case "25P03":
      Self("\(server) ended a session that was idle during a page", outlook: .passing)
    case "40001", "40P01":
      Self("conflicting transactions ran at \(server)", outlook: .passing)
    default: nil
    }
  }

  private static func ofSchema(_ error: ServerError, _ server: String) -> Self? {
    switch error.state {
    // A table or column was altered: it is missing, has a different type, or has a constraint that hrgate's
    // rows violate.
    case "42P01", "3F000", "42703", "42704", "42804", "42883", "42P10", "23502", "42809", "23514":
      .changedSchema(error.table.map { "the table hrgate.\($0)" } ?? "the schema hrgate", server)
    // Records with such a character have already been rejected, so it is in the name of the person or the
    // gateway.
    case "22P05", "22021":
      Self(
        "the encoding of the database of \(server) lacks a character of the person's or gateway's name: create a "
          + "database with ENCODING 'UTF8', or choose other names (--as, --gateway)", outlook: .lasting)
    default: nil
    }
  }

  /// Returns the error for a schema that was altered.
  ///
  /// - Parameter what: The altered object, such as `the table hrgate.sample`.
  static func changedSchema(_ what: String, _ server: String) -> Self {
    Self(
      "\(what) of \(server) was changed: undo the change, or move the schema out of the way "
        + "(ALTER SCHEMA hrgate RENAME TO …) and reset the destination", outlook: .lasting)
  }
}
