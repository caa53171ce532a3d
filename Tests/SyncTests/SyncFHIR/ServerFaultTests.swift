import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests failing servers and the messages about them. After the failure, the same page arrives completely.
@Suite(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"), .timeLimit(.minutes(30)))
struct ServerFaultTests {
  struct Fault: CustomTestStringConvertible, Sendable {
    var json: String
    var outlook: ExternalStoreError.Outlook
    var says: String
    var testDescription: String { json }

    init(_ json: String, _ outlook: ExternalStoreError.Outlook, _ says: String) {
      self.json = json
      self.outlook = outlook
      self.says = says
    }
  }

  static let faults: [Fault] = [
    Fault(#"{"status": 429}"#, .passing, "limits the number of requests"),
    Fault(#"{"status": 429, "headers": {"Retry-After": "7"}}"#, .passingAfter(.seconds(7)), "429"),
    Fault(
      #"{"status": 503, "headers": {"Retry-After": "Sun, 06 Nov 2094 08:49:37 GMT"}}"#,
      .passingAfter(.seconds(86_400)), "503"),
    Fault(
      #"{"status": 503, "headers": {"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}}"#,
      .passingAfter(.seconds(0)), "503"),
    Fault(#"{"status": 503, "headers": {"Retry-After": "soon"}}"#, .passing, "503"),
    Fault(#"{"status": 500, "body": {"message": "173"}}"#, .passing, "500"),
    Fault(#"{"status": 401}"#, .lasting, "token"),
    Fault(#"{"status": 403}"#, .lasting, "administrator"),
    Fault(#"{"status": 404}"#, .lasting, "base of the URL"),
    Fault(#"{"status": 400, "body": {"page": "bad request"}}"#, .lasting, "in front of the FHIR server"),
    Fault(
      #"{"status": 400, "body": {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "throttled"}]}}"#,
      .lasting, "but not for a sample"),
    Fault(#"{"status": 402}"#, .lasting, "settle the account"),
    Fault(#"{"status": 405}"#, .lasting, "base of the URL"),
    Fault(#"{"status": 407}"#, .lasting, "proxy"),
    Fault(#"{"status": 410}"#, .lasting, "base of the URL"),
    Fault(#"{"status": 421}"#, .lasting, "another host name"),
    Fault(#"{"status": 423}"#, .passing, "423"),
    Fault(#"{"status": 431}"#, .lasting, "answered 431, which is not about a sample"),
    Fault(#"{"status": 451}"#, .lasting, "answered 451"),
    Fault(#"{"status": 415}"#, .lasting, "JSON"),
    Fault(
      #"{"status": 307, "headers": {"Location": "https://elsewhere.example/fhir?token=geheim"}}"#, .lasting,
      "https://elsewhere.example/fhir:"),
    Fault(#"{"status": 200, "body": {"page": "log in"}}"#, .lasting, "in front of"),
    Fault(
      #"{"status": 200, "body": {"resourceType": "Bundle", "type": "transaction-response", "entry": []}}"#,
      .lasting, "each change"),
    Fault(#"{"cut": "before"}"#, .passing, "127.0.0.1"),
    Fault(#"{"cut": "after"}"#, .passing, "127.0.0.1"),
    Fault(#"{"half": true}"#, .passing, "127.0.0.1"),
  ]

  @Test(arguments: faults)
  func `a failure is reported in a sentence, and nothing is lost or duplicated`(fault: Fault) async throws {
    let server = try FHIRServer()
    let store = try server.store(secret: "geheim")
    let page = ChangePage((0..<5).map { heartRate(173, after: Double($0)) })
    try await store.open()
    try server.befall([try JSONSerialization.jsonObject(with: Data(fault.json.utf8)) as? [String: Any]])
    let error = await storeError { _ = try await store.upload(page) }
    #expect(error?.outlook == fault.outlook)
    #expect(error?.description.contains(fault.says) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("geheim") == false)
    #expect(error?.description.contains("173") == false)
    #expect(try await store.upload(page) == [])
    #expect(try server.uuids() == page.added.map(\.sample.uuid.uuidString).sorted())
    await store.close()
  }

  @Test func `a server that hangs is a timeout, and the page is repeated`() async throws {
    let server = try FHIRServer()
    let patient = try server.store()
    let hasty = try server.store { $0.timeout = .seconds(10) }
    let page = ChangePage([heartRate()])
    try await hasty.open()
    try server.befall([["hang": true]])
    let error = await storeError { _ = try await hasty.upload(page) }
    await hasty.close()
    #expect(error?.outlook == .passing)
    #expect(error?.description.contains("did not respond within 10 s") == true)
    try await patient.open()
    #expect(try await patient.upload(page) == [])
    #expect(try server.uuids().count == 1)
    await patient.close()
  }

  @Test func `cancelling does not wait for the server`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    try server.befall([["hang": true]])
    let carrying = Task { try await store.upload(ChangePage([heartRate()])) }
    while try server.transactions().isEmpty { await Task.yield() }
    carrying.cancel()
    await #expect(throws: CancellationError.self) { try await carrying.value }
    await store.close()
  }

  @Test func `a missing server is a passing failure`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    try await store.open()
    let gone = server.port
    let unreachable = FHIRStore(
      try FHIRAddress("fhir+http://127.0.0.1:\(gone == 1 ? 2 : 1)"), secret: nil,
      identity: ExternalIdentity(person: "Ada", gateway: "cellar"))
    let error = await storeError { try await unreachable.open() }
    #expect(error?.outlook == .passing)
    #expect(error?.description.contains("cannot be reached") == true)
    await store.close()
    await unreachable.close()
  }

  @Test func `a page before opening is an error, not a trap`() async throws {
    let server = try FHIRServer()
    let store = try server.store()
    #expect(await storeError { _ = try await store.upload(ChangePage([heartRate()])) }?.outlook == .passing)
  }

  // MARK: - Opening

  @Test func `the token is sent with each request, and a wrong one is reported`() async throws {
    let server = try FHIRServer()
    try server.set(["token": "geheim"])
    let store = try server.store(secret: "geheim")
    try await store.open()
    #expect(try await store.upload(ChangePage([heartRate()])) == [])
    await store.close()
    for wrong in ["other", nil] {
      let stranger = try server.store(secret: wrong)
      let error = await storeError { try await stranger.open() }
      #expect(error?.outlook == .lasting)
      #expect(error?.description.contains("token") == true)
      await stranger.close()
    }
    for impossible in ["two words", "a\r\nb: c", ""] {
      let error = await storeError { try await server.store(secret: impossible).open() }
      #expect(error?.description.contains("not a token") == true)
    }
  }

  @Test func `a missing subject is reported before a sample is refused`() async throws {
    let server = try FHIRServer()
    let known = try server.store("?subject=Patient/123")
    try await known.open()
    #expect(try await known.upload(ChangePage([heartRate()])) == [])
    await known.close()
    let unknown = try server.store("?subject=Patient/124")
    let error = await storeError { try await unknown.open() }
    await unknown.close()
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains("has no Patient/124") == true)
  }

  @Test(arguments: [
    (#"{"resourceType": "CapabilityStatement", "fhirVersion": "5.0.0"}"#, "does not use FHIR R4"),
    (#"{"resourceType": "Basic"}"#, "not a FHIR server"),
    (
      #"{"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": [{"resource": [{"type": "Observation", "conditionalCreate": false}]}]}"#,
      "does not support conditional create"
    ),
    (
      #"{"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": [{"resource": [{"type": "Observation", "conditionalUpdate": false}]}]}"#,
      "does not support conditional update"
    ),
  ])
  func `a server without required features is reported`(metadata: String, says: String) async throws {
    let server = try FHIRServer()
    try server.set(["metadata": try JSONSerialization.jsonObject(with: Data(metadata.utf8))])
    let store = try server.store()
    let error = await storeError { try await store.open() }
    await store.close()
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains(says) == true)
  }
}
