import CPostgreSQL
import Foundation
public import HealthDataSync

/// The address of a database: `postgresql://USER@HOST:PORT/DATABASE?sslmode=…`, as libpq reads it
/// ("Connection URIs" in the PostgreSQL manual). A host may be the directory of a socket
/// (`postgresql:///health?host=/run/postgresql`). The password is not part of the address.
///
/// Missing settings have libpq's defaults, with two exceptions:
///
/// - A server on another machine must use TLS, with a certificate for the host in the address
///   (`sslmode=verify-full`).
/// - If `~/.postgresql/root.crt` does not exist, the system's root certificates are trusted.
public struct PostgreSQLAddress: Hashable, Sendable, CustomStringConvertible {
  /// The connection parameters, by libpq's keywords such as `host`.
  let parameters: [String: String]

  /// Parses an address.
  ///
  /// - Throws: `ExternalStoreError` with a description of the mistake.
  public init(parsing url: String) throws(ExternalStoreError) {
    let given = try Self.parse(url)
    guard given["password"] == nil, given["sslpassword"] == nil else {
      throw ExternalStoreError(
        "the address of a database must not contain a password: put it into the "
          + "secret's file or PGPASSWORD", outlook: .lasting)
    }
    var parameters = Self.fromEnvironment.merging(given) { $1 }
    parameters.merge(Self.security(of: parameters)) { $1 }
    self.parameters = parameters
  }

  /// The address without parameters: `HOST:PORT/DATABASE`.
  public var description: String {
    let hosts = hosts.map { Self.isSocket($0) || !$0.contains(":") ? $0 : "[\($0)]" }
    let places = zip(hosts, ports).map { Self.isSocket($0) ? $0 : "\($0):\($1)" }
    return places.joined(separator: ",") + "/\(database)"
  }

  var user: String { parameters["user"] ?? "the user" }
  var database: String { parameters["dbname"] ?? user }
  var rootCertificates: String { parameters["sslrootcert"] ?? "~/.postgresql/root.crt" }

  private var hosts: [String] { Self.hosts(parameters) }

  /// The port of each host. libpq accepts a single port for all hosts.
  private var ports: [String] {
    let ports = (parameters["port"] ?? "5432").split(separator: ",", omittingEmptySubsequences: false)
      .map(String.init)
    return hosts.indices.map { index in
      let port = ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : ""
      return port.isEmpty ? "5432" : port
    }
  }

  // MARK: - Parsing

  private static func parse(_ url: String) throws(ExternalStoreError) -> [String: String] {
    guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
      throw ExternalStoreError(
        "the address of a database must begin with postgresql://, as in postgresql://USER@HOST:5432/DATABASE",
        outlook: .lasting)
    }
    var reason: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &reason) else {
      PQfreemem(reason)
      // Do not show libpq's message: it quotes the address, which may contain a password.
      throw ExternalStoreError(
        "this is not a PostgreSQL address like postgresql://USER@HOST:PORT/DATABASE?KEY=VALUE: "
          + "check for a character that must be written with %, or an unknown KEY",
        outlook: .lasting)
    }
    return values(options)
  }

  /// The connection parameters from environment variables such as PGHOST, or libpq's defaults.
  private static var fromEnvironment: [String: String] {
    guard let options = PQconndefaults() else { return [:] }
    let wanted: Set = ["host", "hostaddr", "port", "user", "dbname", "sslrootcert"]
    return values(options).filter { wanted.contains($0.key) && !$0.value.isEmpty }
  }

  /// Returns the values of libpq's options as a dictionary, and frees the options.
  private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    return values
  }
}
