import Foundation
import HealthDataSync

@testable import ExternalStores
@testable import TestSupport

extension PostgreSQLServer {
  /// Opens a connection over the socket as `owner`.
  func connection(to database: String, as user: String = "owner") throws -> Connection {
    try Connection(
      ["host": folder.path, "port": "\(port)", "user": user, "dbname": database, "client_encoding": "UTF8"],
      limits: Limits(), cancellation: Cancellation())
  }

  /// Creates a database for a test.
  func makeDatabase() throws -> TestDatabase {
    let name = "t\(UUID().uuidString.prefix(12).lowercased().filter { $0 != "-" })"
    try connection(to: "postgres").perform("CREATE DATABASE \(name)")
    return TestDatabase(server: self, name: name)
  }
}

/// One database of a server.
struct TestDatabase: Sendable {
  let server: PostgreSQLServer
  let name: String

  /// URL of a connection over the socket as `owner`.
  var url: String { "postgresql://owner@/\(name)?host=\(server.folder.path)&port=\(server.port)" }

  /// - Parameter url: a URL that replaces the URL of the server's socket.
  func store(
    _ gateway: String = "attic", id: String? = nil, person: String = "Ada", url: String? = nil,
    secret: String? = nil,
    schema: Schema = .current, limits: Limits = Limits()
  ) throws -> PostgreSQLStore {
    PostgreSQLStore(
      address: try PostgreSQLAddress(parsing: url ?? self.url), secret: secret,
      identity: ExternalIdentity(person: person, gateway: gateway, gatewayID: id), schema: schema,
      limits: limits)
  }

  func connection() throws -> Connection { try server.connection(to: name) }

  /// Returns the rows of the last statement's result.
  @discardableResult
  func rows(_ sql: String) throws -> [[String?]] {
    try connection().perform("SET timezone = 'UTC'; \(sql)").rows
  }

  /// Returns the first column of the last statement's result.
  func column(_ sql: String) throws -> [String?] { try rows(sql).map { $0[0] } }
}
