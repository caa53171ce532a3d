import Foundation
import HealthDataSync
import HealthKit

extension PostgreSQLAddress {
  static func hosts(_ parameters: [String: String]) -> [String] {
    let text = parameters["host"] ?? parameters["hostaddr"] ?? defaultSocketFolder
    return text.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.isEmpty ? defaultSocketFolder : String($0)
    }
  }

  /// The socket directory on Debian and most other systems.
  private static let defaultSocketFolder = "/var/run/postgresql"

  static func isSocket(_ host: String) -> Bool { host.hasPrefix("/") || host.hasPrefix("@") }

  /// Returns whether all connections stay on this machine. It is `false` if libpq may take the host from a
  /// service file or an environment variable.
  static func staysHere(
    _ parameters: [String: String], environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Bool {
    guard parameters["service"] == nil, environment["PGSERVICE"] == nil else { return false }
    let places = [parameters["host"], parameters["hostaddr"]].compactMap { $0 }
    guard !places.isEmpty else { return environment["PGHOST"] == nil && environment["PGHOSTADDR"] == nil }
    return places.joined(separator: ",").split(separator: ",").allSatisfy { place in
      isSocket(String(place)) || LoopbackHost.isOne(String(place))
    }
  }

  /// Returns values for the TLS parameters that the address does not set.
  static func security(of parameters: [String: String]) -> [String: String] {
    let mode = parameters["sslmode"] ?? (staysHere(parameters) ? "prefer" : "verify-full")
    guard mode.hasPrefix("verify"), parameters["sslrootcert"] == nil, !hasRootsOfItsOwn,
      let bundle = systemBundle
    else { return ["sslmode": mode] }
    return ["sslmode": mode, "sslrootcert": bundle]
  }

  /// Whether the user has a file of root certificates, which libpq uses first.
  private static var hasRootsOfItsOwn: Bool {
    FileManager.default.fileExists(atPath: HomeFolder.path + "/.postgresql/root.crt")
  }

  /// The file with the system's root certificates. libpq 16 supports `sslrootcert=system` instead, but
  /// earlier versions do not.
  private static var systemBundle: String? {
    let named = ProcessInfo.processInfo.environment["SSL_CERT_FILE"].map { [$0] } ?? []
    return (named + bundles).first { FileManager.default.isReadableFile(atPath: $0) }
  }

  private static let bundles = [
    "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch.
    "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, RHEL.
    "/etc/ssl/ca-bundle.pem",  // openSUSE.
    "/etc/ssl/cert.pem",  // Alpine.
  ]
}
