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

  /// Debian's, which is also what most others set.
  private static let defaultSocketFolder = "/var/run/postgresql"

  static func isSocket(_ host: String) -> Bool { host.hasPrefix("/") || host.hasPrefix("@") }

  /// Whether nothing that is said leaves this machine. Where libpq takes the host from a service file or from
  /// its environment, nothing says so.
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

  /// What the address leaves open of TLS.
  static func security(of parameters: [String: String]) -> [String: String] {
    let mode = parameters["sslmode"] ?? (staysHere(parameters) ? "prefer" : "verify-full")
    guard mode.hasPrefix("verify"), parameters["sslrootcert"] == nil, !hasRootsOfItsOwn,
      let bundle = systemBundle
    else { return ["sslmode": mode] }
    return ["sslmode": mode, "sslrootcert": bundle]
  }

  /// Where libpq looks first.
  private static var hasRootsOfItsOwn: Bool {
    FileManager.default.fileExists(atPath: HomeFolder.path + "/.postgresql/root.crt")
  }

  /// The authorities that this system trusts. (libpq 16 calls them `sslrootcert=system`; before, there was no
  /// name for them.)
  private static var systemBundle: String? {
    let named = ProcessInfo.processInfo.environment["SSL_CERT_FILE"].map { [$0] } ?? []
    return (named + bundles).first { FileManager.default.isReadableFile(atPath: $0) }
  }

  private static let bundles = [
    "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch
    "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  // openSUSE
    "/etc/ssl/cert.pem",  // Alpine
  ]
}
