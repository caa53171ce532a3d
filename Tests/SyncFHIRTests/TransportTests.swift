import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import SyncFHIR
@testable import TestSupport

/// How requests go over a connection, and how they end.
@Suite(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"), .timeLimit(.minutes(30)))
struct TransportTests {
  /// So long that a request which is not ended otherwise meets the time limit of the suite.
  private static let patience = Duration.seconds(3600)

  @Test func `a connection is kept from request to request`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    for second in 0..<3 {
      #expect(try await store.carry(ChangePage([heartRate(after: Double(second))])) == [])
    }
    #expect(try server.transactions().count == 3)
    #expect(try server.connections() == 1)
    await store.close()
  }

  @Test func `a body of more than a megabyte goes as it is`() async throws {
    let server = try FHIRServer()
    let store = try server.store { limits in
      limits.entries = 10_000
      limits.bytes = 64 << 20
    }
    let page = ChangePage((0..<1500).map { heartRate(after: Double($0)) })
    try await store.open()
    #expect(try await store.carry(page) == [])
    #expect(try server.transactions().map { $0["entries"] as? Int } == [1500])
    let size = try #require(try server.transactions().first?["size"] as? Int)
    #expect(size > 1 << 20)
    #expect(try server.uuids().count == 1500)
    await store.close()
  }

  /// A server may do all of a request and then end the connection without a word: whoever calls is told, and
  /// sends it again when it knows what was done.
  @Test func `a change is not sent twice behind the caller's back`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    try server.befall([["cut": "after"]])
    let error = await storeError { _ = try await store.carry(ChangePage([heartRate()])) }
    #expect(error?.outlook == .passing)
    #expect(error?.description.contains("broke the connection off") == true, "\(error?.description ?? "")")
    #expect(try server.transactions().count == 1)
    await store.close()
  }

  @Test func `an answer that does not end for its length is not read to its end`() async throws {
    let server = try FHIRServer()
    try server.set(["padding": Transfer.longestAnswer])
    let store = try server.store()
    let error = await storeError { try await store.open() }
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains("answers with more than") == true, "\(error?.description ?? "")")
    try server.set(["padding": 1 << 20])
    try await store.open()
    await store.close()
  }

  @Test func `a server that goes on sending a little is given up`() async throws {
    let server = try FHIRServer()
    let store = try server.store { $0.timeout = .seconds(2) }
    try await store.open()
    try server.befall([["drip": true]])
    let error = await storeError { _ = try await store.carry(ChangePage([heartRate()])) }
    await store.close()
    #expect(error?.outlook == .passing)
    #expect(error?.description.contains("did not answer within 2 s") == true, "\(error?.description ?? "")")
  }

  @Test func `cancelling ends the request and not the connection to come`() async throws {
    let server = try FHIRServer()
    let client = try FHIRClient(FHIRAddress(server.url()), token: nil, timeout: Self.patience)
    try server.befall([["hang": true]])
    let carrying = Task { try await client.post(Data(#"{"type": "transaction"}"#.utf8)) }
    while try server.transactions().isEmpty { await Task.yield() }
    // Behind one that does not end.
    let waiting = Task { try await client.get("/metadata") }
    carrying.cancel()
    await #expect(throws: CancellationError.self) { try await carrying.value }
    #expect(try await waiting.value.status == 200)
    await client.close()
  }

  @Test func `what was cancelled before it began is not sent`() async throws {
    let server = try FHIRServer()
    let client = try FHIRClient(FHIRAddress(server.url()), token: nil, timeout: Self.patience)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await client.post(Data(#"{"type": "transaction"}"#.utf8))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await client.close()
    #expect(try server.transactions().isEmpty)
  }

  @Test func `closing ends what is under way, and what comes later`() async throws {
    let server = try FHIRServer()
    let client = try FHIRClient(FHIRAddress(server.url()), token: nil, timeout: Self.patience)
    try server.befall([["hang": true]])
    let carrying = Task { try await client.post(Data(#"{"type": "transaction"}"#.utf8)) }
    while try server.transactions().isEmpty { await Task.yield() }
    await client.close()
    let ended = await storeError { _ = try await carrying.value }
    #expect(ended?.outlook == .passing)
    #expect(ended?.description.contains("is closed") == true)
    let late = await storeError { _ = try await client.get("/metadata") }
    #expect(late?.description.contains("is closed") == true)
    await client.close()
    client.abandon()
  }

  @Test func `what is no HTTP is told, and not shown`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    try server.befall([["says": "SSH-2.0-geheim\r\n"]])
    let error = await storeError { _ = try await store.carry(ChangePage([heartRate()])) }
    await store.close()
    #expect(error?.outlook == .passing)
    #expect(error?.description.contains("broke the connection off") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("geheim") == false)
  }

  @Test func `a name that nobody has is a server that may come`() async throws {
    let client = try FHIRClient(
      FHIRAddress("fhir+https://nobody.invalid/fhir"), token: "geheim", timeout: Self.patience)
    let error = await storeError { _ = try await client.get("/metadata") }
    await client.close()
    #expect(error?.outlook == .passing)
    #expect(error?.description.contains("nobody.invalid cannot be reached") == true)
  }

  /// In a process of its own: the environment is every test's.
  @Test func `a proxy that the environment names is not asked`() async {
    await #expect(processExitsWith: .success) {
      for name in ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"] {
        setenv(name, "http://127.0.0.1:1", 1)
      }
      let server = try FHIRServer()
      let store = try server.store()
      try await store.open()
      await store.close()
    }
  }
}
