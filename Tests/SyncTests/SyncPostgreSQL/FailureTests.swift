import Foundation
import Glibc
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests servers that are missing, reject the login, hang or stop.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct FailureTests {
  private let server: PostgreSQLServer
  private let database: TestDatabase

  init() throws {
    server = try PostgreSQLServer.shared.get()
    database = try server.makeDatabase()
  }

  private func loopback(_ more: String = "", port: Int? = nil, database name: String? = nil) -> String {
    "postgresql://owner@localhost:\(port ?? server.port)/\(name ?? database.name)\(more)"
  }

  private func failure(_ body: () async throws -> Void) async -> ExternalStoreError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? ExternalStoreError
    }
  }

  private func failure(opening url: String, secret: String?) async -> ExternalStoreError? {
    await failure { try await database.store(url: url, secret: secret).open() }
  }

  @Test func `only the correct password is accepted, and errors do not contain it`() async throws {
    #expect(await failure(opening: loopback(), secret: "right") == nil)
    let wrong = await failure(opening: loopback(), secret: "hush-hush")
    #expect(wrong?.description.contains("rejects the password of owner") == true)
    #expect(wrong?.description.contains("hush") == false)
    #expect(wrong?.outlook == .lasting)
    let none = await failure(opening: loopback(), secret: nil)
    #expect(none?.description.contains("requires the password of owner") == true)
    #expect(none?.outlook == .lasting)
  }

  @Test func `a missing database is reported`() async throws {
    let error = await failure(opening: loopback(database: "nowhere"), secret: "right")
    #expect(error?.description.contains("has no database nowhere") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test func `a missing role is rejected`() async throws {
    let url = database.url.replacingOccurrences(of: "owner@", with: "nobody_at_all@")
    let error = await failure { try await database.store(url: url).open() }
    #expect(error?.description.contains("rejects nobody_at_all from here") == true)
  }

  @Test func `a missing server is a passing failure`() async throws {
    for (url, words) in [
      (loopback(port: 1), "refuses connections"), ("postgresql://a@/b?host=/nowhere", "has no socket there"),
      ("postgresql://a@name.invalid/b", "cannot be resolved"),
    ] {
      let error = await failure(opening: url, secret: nil)
      #expect(error?.description.contains(words) == true, "\(url)")
      #expect(error?.outlook == .passing)
    }
  }

  @Test func `only a certificate chain with the named root is accepted`() async throws {
    guard let root = server.rootCertificate else { return }
    let verified = "?sslmode=verify-full&sslrootcert="
    #expect(await failure(opening: loopback(verified + root), secret: "right") == nil)
    let strange = await failure(opening: loopback("?sslmode=verify-full"), secret: "right")
    #expect(strange?.description.contains("is not trusted") == true)
    #expect(strange?.description.contains("sslrootcert=FILE") == true)
    #expect(strange?.outlook == .lasting)
    let other = await failure(
      opening: loopback(verified + root).replacingOccurrences(of: "localhost", with: "127.0.0.1"),
      secret: "right")
    #expect(other?.description.contains("is for another host name") == true)
    let missing = await failure(opening: loopback(verified + "/nowhere.crt"), secret: "right")
    #expect(missing?.description.contains("cannot be read") == true)
  }

  @Test func `a server without TLS is rejected if its identity must be verified`() async throws {
    let plain = try SilentServer(answering: "N")
    let error = await failure(
      opening: loopback("?sslmode=verify-full", port: plain.port), secret: "right")
    #expect(error?.description.contains("does not offer TLS") == true)
  }

  @Test func `a server that accepts and does not answer is an error`() async throws {
    let silent = try SilentServer()
    var limits = Limits()
    limits.connecting = .milliseconds(200)
    let store = try database.store(url: loopback("?sslmode=disable", port: silent.port), limits: limits)
    let error = await failure { try await store.open() }
    #expect(error?.description.contains("does not respond") == true)
    #expect(error?.outlook == .passing)
  }

  /// Returns the process ID of the server's backend for the store.
  private func backend() throws -> pid_t {
    let found = try database.column(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'hrgate' AND datname = '\(database.name)'")
    return try #require(found.first?.flatMap { pid_t($0) })
  }

  @Test func `a server that hangs is an error, and later the page is sent`() async throws {
    // Creates the schema with the default time limits, not with the short ones of the test.
    try await database.store().open()
    var limits = Limits()
    limits.answering = .seconds(8)
    limits.grace = .zero
    let store = try database.store(limits: limits)
    try await store.open()
    let process = try backend()
    kill(process, SIGSTOP)
    let page = Samples.page(Samples.pulses(700))
    let error = await failure { _ = try await store.upload(page) }
    kill(process, SIGCONT)
    #expect(error?.description.contains("does not respond (8 s)") == true)
    #expect(error?.outlook == .passing)
    let again = try database.store()
    try await again.open()
    #expect(try await again.upload(page) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.samples") == ["700"])
  }

  @Test func `cancelling does not wait, and it cancels the query on the server`() async throws {
    // With these time limits the query would wait for the lock for an hour if it was not cancelled.
    var limits = Limits()
    (limits.locking, limits.answering) = (.seconds(3600), .seconds(3600))
    let store = try database.store(limits: limits)
    try await store.open()
    let blocker = try database.connection()
    try blocker.perform("BEGIN; LOCK TABLE hrgate.sample IN ACCESS EXCLUSIVE MODE")
    let transfer = Task { try await store.upload(Samples.page(Samples.pulses(1))) }
    let waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND wait_event_type = 'Lock'"
    #expect(try await eventually { try database.column(waiting) == ["1"] })
    transfer.cancel()
    await #expect(throws: CancellationError.self) { try await transfer.value }
    #expect(try await eventually { try database.column(waiting) == ["0"] })
    try blocker.perform("ROLLBACK")
    try await store.open()
    #expect(try await store.upload(Samples.page(Samples.pulses(1))) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["1"])
  }

  @Test func `a read-only database is reported`() async throws {
    try database.rows("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
    let error = await failure { try await database.store().open() }
    #expect(error?.description.contains("is read-only") == true)
  }

  @Test func `each SQLSTATE has a message with a remedy`() throws {
    let address = try PostgreSQLAddress(parsing: database.url)
    func error(_ state: String) -> ExternalStoreError {
      ExternalStoreError(.server(ServerError(state: state)), at: address)
    }
    #expect(error("53100").description.contains("disk"))
    #expect(error("53100").outlook == .lasting)
    #expect(error("53300").description.contains("max_connections"))
    for state in ["53300", "57P01", "57P03", "57014", "55P03", "40P01", "40001", "08006", "58030"] {
      #expect(error(state).outlook == .passing, "\(state)")
    }
    for state in ["XX001", "0A000", "42601"] {
      #expect(error(state).outlook == .lasting && error(state).description.contains(state))
    }
  }
}

/// Tests a server that stops while it receives a page.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct RestartTests {
  @Test func `a page during which the server stops is stored once after its restart`() async throws {
    let server = try PostgreSQLServer()
    let database = try server.makeDatabase()
    let store = try database.store()
    try await store.open()
    // Sends a first page, with 1,000 of the 3,000 samples of the next page.
    let pulses = Samples.pulses(3000)
    _ = try await store.upload(Samples.page(Array(pulses[..<1000])))
    // This lock blocks the transaction of the next page after its rows were sent.
    let blocker = try database.connection()
    try blocker.perform("BEGIN; LOCK TABLE hrgate.tombstone IN ACCESS EXCLUSIVE MODE")
    let transfer = Task { try await store.upload(Samples.page(pulses)) }
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    #expect(try await eventually { try database.column(waiting) == ["1"] })
    try server.stop()
    await #expect(throws: ExternalStoreError.self) { try await transfer.value }
    // While the server is down, both calls fail with an `ExternalStoreError`.
    await #expect(throws: ExternalStoreError.self) { try await store.open() }
    await #expect(throws: ExternalStoreError.self) { try await store.upload(Samples.page(pulses)) }
    try server.start()
    try await store.open()
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["1000"])
    #expect(try await store.upload(Samples.page(pulses)) == [])
    #expect(
      try database.rows("SELECT count(*), count(DISTINCT uuid) FROM hrgate.sample") == [["3000", "3000"]])
    await store.close()
  }
}
