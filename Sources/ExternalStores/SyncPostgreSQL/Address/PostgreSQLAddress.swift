import CPostgreSQL
import Foundation
public import HealthDataSync

/// Where a database is, and how it is spoken to: `postgresql://USER@HOST:PORT/DATABASE?sslmode=…`, as libpq
/// reads it ("Connection URIs" in PostgreSQL's manual). A host may be the folder of a socket
/// (`postgresql:///health?host=/run/postgresql`). The password does not belong in it.
///
/// What is not said is as libpq has it, but for two things. A server on another machine is spoken to with
/// TLS, and must prove with a certificate that it is the host that the address names (`sslmode=verify-full`);
/// and if there is no `~/.postgresql/root.crt`, the authorities that this system trusts may have signed that.
public struct PostgreSQLAddress: Hashable, Sendable, CustomStringConvertible {
  /// libpq's keywords.
  let parameters: [String: String]

  /// - Throws: naming what is wrong with it.
  public init(parsing url: String) throws(ExternalStoreError) {
    let given = try Self.parse(url)
    guard given["password"] == nil, given["sslpassword"] == nil else {
      throw ExternalStoreError(
        "a password does not belong in the address of a database: leave it out there, and give it in the "
          + "secret's file or in PGPASSWORD", outlook: .lasting)
    }
    var parameters = Self.fromEnvironment.merging(given) { $1 }
    parameters.merge(Self.security(of: parameters)) { $1 }
    self.parameters = parameters
  }

  /// Without parameters: `HOST:PORT/DATABASE`.
  public var description: String {
    let hosts = hosts.map { Self.isSocket($0) || !$0.contains(":") ? $0 : "[\($0)]" }
    let places = zip(hosts, ports).map { Self.isSocket($0) ? $0 : "\($0):\($1)" }
    return places.joined(separator: ",") + "/\(database)"
  }

  var user: String { parameters["user"] ?? "the user" }
  var database: String { parameters["dbname"] ?? user }
  var rootCertificates: String { parameters["sslrootcert"] ?? "~/.postgresql/root.crt" }

  private var hosts: [String] { Self.hosts(parameters) }

  /// As many as hosts: libpq takes one for all.
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
        "the address of a database begins with postgresql://, as in postgresql://USER@HOST:5432/DATABASE",
        outlook: .lasting)
    }
    var reason: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &reason) else {
      PQfreemem(reason)
      // Its words quote the address, and with that what may be a password.
      throw ExternalStoreError(
        "this is not an address as PostgreSQL has it, which is postgresql://USER@HOST:PORT/DATABASE?KEY=VALUE: "
          + "look for a character that must be written with %, or a KEY that libpq does not know",
        outlook: .lasting)
    }
    return values(options)
  }

  /// What libpq takes from the environment (PGHOST and so on) or has as its default, where the address does
  /// not say.
  private static var fromEnvironment: [String: String] {
    guard let options = PQconndefaults() else { return [:] }
    let wanted: Set = ["host", "hostaddr", "port", "user", "dbname", "sslrootcert"]
    return values(options).filter { wanted.contains($0.key) && !$0.value.isEmpty }
  }

  /// Frees the options.
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
