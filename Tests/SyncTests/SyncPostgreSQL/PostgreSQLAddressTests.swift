import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores

@Suite struct PostgreSQLAddressTests {
  private func refusal(_ url: String) -> ExternalStoreError? {
    do throws(ExternalStoreError) {
      _ = try PostgreSQLAddress(parsing: url)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a server on another machine needs a certificate of an authority that the system trusts`()
    throws
  {
    for host in [
      "db.example.org", "10.0.0.1", "127.0.0.1.example.org", "localhost.example.org", "127.0.0.1,db",
    ] {
      let address = try PostgreSQLAddress(parsing: "postgresql://ada@\(host)/health")
      #expect(address.parameters["sslmode"] == "verify-full", "\(host)")
    }
    let forwarded = try PostgreSQLAddress(parsing: "postgresql://ada@localhost/health?hostaddr=10.0.0.1")
    #expect(forwarded.parameters["sslmode"] == "verify-full")
    #expect(
      forwarded.parameters["sslrootcert"] != nil
        || FileManager.default.fileExists(atPath: NSHomeDirectory() + "/.postgresql/root.crt"))
  }

  @Test func `a connection to this machine needs no certificate`() throws {
    for host in ["localhost", "127.0.0.1", "127.8.8.8", "[::1]", "%2Frun%2Fpostgresql"] {
      let address = try PostgreSQLAddress(parsing: "postgresql://ada@\(host)/health")
      #expect(address.parameters["sslmode"] == "prefer", "\(host)")
    }
    let socket = try PostgreSQLAddress(parsing: "postgresql:///health?host=/run/postgresql")
    #expect(socket.parameters["sslmode"] == "prefer")
  }

  @Test func `TLS parameters in the address are used`() throws {
    let address = try PostgreSQLAddress(
      parsing: "postgresql://ada@db.example.org/health?sslmode=verify-ca&sslrootcert=/etc/own.crt")
    #expect(address.parameters["sslmode"] == "verify-ca")
    #expect(address.parameters["sslrootcert"] == "/etc/own.crt")
  }

  @Test func `an address has a description of its target`() throws {
    #expect(
      try PostgreSQLAddress(parsing: "postgresql://ada@db.example.org:5433/health").description
        == "db.example.org:5433/health")
    #expect(
      try PostgreSQLAddress(parsing: "postgres://ada@[::1],b:7/health").description == "[::1]:5432,b:7/health"
    )
    #expect(
      try PostgreSQLAddress(parsing: "postgresql://ada@/health?host=/run/pg").description == "/run/pg/health")
  }

  @Test(arguments: [
    "postgresql://ada:hush@db/health", "postgresql://ada@db/health?password=hush",
    "postgresql://ada@db/health?sslpassword=hush",
  ])
  func `a password in the address is rejected and not in the error`(url: String) throws {
    let error = try #require(refusal(url))
    #expect(error.description.contains("PGPASSWORD"))
    #expect(!error.description.contains("hush"))
  }

  @Test(arguments: [
    "mysql://ada@db/health", "postgresql://ada:hu%sh@db/health", "postgresql://ada@db/health?colour=hush",
    "postgresql://[::1/health", "host=db password=hush",
  ])
  func `the error for an invalid address has an example`(url: String) throws {
    let error = try #require(refusal(url))
    #expect(error.description.contains("postgresql://"))
    #expect(!error.description.contains("hu%sh") && !error.description.contains("hush"))
    #expect(error.outlook == .lasting)
  }

  @Test func `a host from libpq's environment does not count as this machine`() {
    #expect(PostgreSQLAddress.staysHere([:], environment: [:]))
    #expect(!PostgreSQLAddress.staysHere(["service": "ward"], environment: [:]))
    for name in ["PGHOST", "PGHOSTADDR", "PGSERVICE"] {
      #expect(!PostgreSQLAddress.staysHere([:], environment: [name: "ward.example"]))
    }
    #expect(PostgreSQLAddress.staysHere(["host": "localhost"], environment: ["PGHOST": "ward.example"]))
  }
}
