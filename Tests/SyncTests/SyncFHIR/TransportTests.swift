import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests HTTP requests: connections, sizes, time limits, cancellation and errors.
@Suite(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"), .timeLimit(.minutes(30)))
struct TransportTests {
  /// Timeout that is longer than the time limit of the suite, so that no request ends because of it.
  private static let timeout = Duration.seconds(3600)

  @Test func `a connection is kept from request to request`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    for second in 0..<3 {
      #expect(try await store.upload(ChangePage([heartRate(after: Double(second))])) == [])
    }
    #expect(try server.transactions().count == 3)
    #expect(try server.connections() == 1)
    await store.close()
  }

  @Test func `a body of more than a megabyte is sent unchanged`() async throws {
    let server = try FHIRServer()
    let store = try server.store { limits in
      limits.entries = 10_000
      limits.bytes = 64 << 20
    }
    let page = ChangePage((0..<1500).map { heartRate(after: Double($0)) })
    try await store.open()
    #expect(try await store.upload(page) == [])
    #expect(try server.transactions().map { $0["entries"] as? Int } == [1500])
    let size = try #require(try server.transactions().first?["size"] as? Int)
    #expect(size > 1 << 20)
    #expect(try server.uuids().count == 1500)
    await store.close()
  }

  /// A server may execute a request and then close the connection without a response. The caller gets an
  /// error, and decides whether to send the request again.
  @Test func `a change is not resent automatically`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    try server.befall([["cut": "after"]])
    let error = await storeError { _ = try await store.upload(ChangePage([heartRate()])) }
    #expect(error?.outlook == .passing)
    #expect(
      error?.description.contains("closed the connection during a response") == true,
      "\(error?.description ?? "")")
    #expect(try server.transactions().count == 1)
    await store.close()
  }

  @Test func `a response that is too long is not read to its end`() async throws {
    let server = try FHIRServer()
    try server.set(["padding": Transfer.maximumResponseSize])
    let store = try server.store()
    let error = await storeError { try await store.open() }
    #expect(error?.outlook == .lasting)
    #expect(
      error?.description.contains("sent a response that is too large") == true, "\(error?.description ?? "")")
    try server.set(["padding": 1 << 20])
    try await store.open()
    await store.close()
  }

  @Test func `a server that keeps sending a little is a timeout`() async throws {
    let server = try FHIRServer()
    let store = try server.store { $0.timeout = .seconds(2) }
    try await store.open()
    try server.befall([["drip": true]])
    let error = await storeError { _ = try await store.upload(ChangePage([heartRate()])) }
    await store.close()
    #expect(error?.outlook == .passing)
    #expect(error?.description.contains("did not respond within 2 s") == true, "\(error?.description ?? "")")
  }

  @Test func `cancelling ends the request and not later requests`() async throws {
    let server = try FHIRServer()
    let client = try FHIRClient(FHIRAddress(server.url()), token: nil, timeout: Self.timeout)
    try server.befall([["hang": true]])
    let carrying = Task { try await client.post(Data(#"{"type": "transaction"}"#.utf8)) }
    while try server.transactions().isEmpty { await Task.yield() }
    // This request waits behind the first one, which gets no response.
    let waiting = Task { try await client.get("/metadata") }
    carrying.cancel()
    await #expect(throws: CancellationError.self) { try await carrying.value }
    #expect(try await waiting.value.status == 200)
    await client.close()
  }

  @Test func `a request that was cancelled before it began is not sent`() async throws {
    let server = try FHIRServer()
    let client = try FHIRClient(FHIRAddress(server.url()), token: nil, timeout: Self.timeout)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await client.post(Data(#"{"type": "transaction"}"#.utf8))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await client.close()
    #expect(try server.transactions().isEmpty)
  }

  @Test func `closing ends pending and later requests`() async throws {
    let server = try FHIRServer()
    let client = try FHIRClient(FHIRAddress(server.url()), token: nil, timeout: Self.timeout)
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

  @Test func `a response that is not HTTP is reported without its content`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    try server.befall([["says": "SSH-2.0-geheim\r\n"]])
    let error = await storeError { _ = try await store.upload(ChangePage([heartRate()])) }
    await store.close()
    #expect(error?.outlook == .passing)
    #expect(
      error?.description.contains("closed the connection during a response") == true,
      "\(error?.description ?? "")")
    #expect(error?.description.contains("geheim") == false)
  }

  @Test func `an unknown host name is a passing failure`() async throws {
    let client = try FHIRClient(
      FHIRAddress("fhir+https://nobody.invalid/fhir"), token: "geheim", timeout: Self.timeout)
    let error = await storeError { _ = try await client.get("/metadata") }
    await client.close()
    #expect(error?.outlook == .passing)
    #expect(error?.description.contains("nobody.invalid cannot be reached") == true)
  }

  /// A local or an unexpected error must not be reported as an unreachable server.
  @Test(arguments: [("\u{1}", 1, "error 3)"), ("a", 9_000_000, "error 43)")])
  func `other errors of libcurl are reported with its message`(
    letter: String, count: Int, says: String
  ) async throws {
    let url = "http://127.0.0.1/" + String(repeating: letter, count: count)
    let connection = try HTTPConnection(
      HTTPConnection.Settings(connecting: .seconds(1), whole: .seconds(1)))
    let address = try FHIRAddress("fhir+http://127.0.0.1/fhir")
    var failure: TransferError?
    do {
      _ = try await connection.send(HTTPRequest(url: url, fields: []))
    } catch {
      failure = error as? TransferError
    }
    await connection.close()
    let text = failure.map { ExternalStoreError($0, from: address).description }
    #expect(text?.contains(says) == true, "\(text ?? "no failure")")
    #expect(text?.contains("cannot be reached") == false)
  }

  /// poll(2) fails with EINVAL if it gets more descriptors than the process may open, which is 0 here. That
  /// limit applies to the whole process, so the test runs in a process of its own.
  @Test func `a failing poll ends the pending requests`() async {
    await #expect(processExitsWith: .success) {
      let server = try FHIRServer()
      let client = try FHIRClient(
        FHIRAddress(server.url()), token: nil, timeout: .seconds(3600))
      try server.befall([["hang": true]])
      let hanging = Task { try await client.post(Data(#"{"type": "transaction"}"#.utf8)) }
      while try server.transactions().isEmpty { await Task.yield() }
      try withDescriptors(0)
      // A second request wakes the client's thread, which then calls poll(2) again.
      let second = Task { try await client.get("/metadata") }
      let failure = await storeError { _ = try await hanging.value }
      #expect(failure?.description.contains("libcurl says: ") == true, "\(failure?.description ?? "")")
      #expect(failure?.outlook == .passing)
      _ = await storeError { _ = try await second.value }
      // The thread also ends if poll(2) fails without pending requests. The client then reports that it is
      // closed.
      var last: ExternalStoreError?
      while last?.description.contains("is closed") != true {
        last = await storeError { _ = try await client.get("/metadata") }
      }
      try withDescriptors(1024)
      await client.close()
    }
  }

  /// Runs in a separate process, because all tests of a process share its environment.
  @Test func `a proxy of the environment is not used`() async {
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

/// Sets the maximum number of descriptors of this process. Open descriptors stay open.
private func withDescriptors(_ most: rlim_t) throws {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = most
  try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
}
