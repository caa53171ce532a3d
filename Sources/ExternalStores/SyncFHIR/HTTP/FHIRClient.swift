import Foundation
import HealthDataSync

/// An HTTP client for one FHIR server. It does not follow redirects, because the bearer token must only be
/// sent to the server that the user named.
struct FHIRClient: Sendable {
  let address: FHIRAddress
  let token: String?
  private let connection: HTTPConnection

  init(_ address: FHIRAddress, token: String?, timeout: Duration) throws(ExternalStoreError) {
    self.address = address
    self.token = token
    connection = try HTTPConnection(
      HTTPConnection.Settings(
        connecting: min(timeout, .seconds(10)), whole: timeout,
        certificateAuthority: address.certificateAuthority))
  }

  func close() async { await connection.close() }

  /// Closes the connection without waiting. For owners that are deallocated without a call to `close`.
  func abandon() { connection.abandon() }

  /// Sends a GET request.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, with a leading slash.
  ///   - isFresh: Whether to bypass the server's search cache.
  func get(_ path: String, isFresh: Bool = false) async throws -> HTTPResponse {
    let more = isFresh ? ["Cache-Control: no-cache"] : []
    return try await send(HTTPRequest(url: address.base + path, fields: fields + more))
  }

  /// Posts a bundle to the base URL.
  func post(_ body: Data) async throws -> HTTPResponse {
    let content = ["Content-Type: application/fhir+json; charset=utf-8", "Prefer: return=minimal"]
    return try await send(HTTPRequest(url: address.base, fields: fields + content, body: body))
  }

  private var fields: [String] {
    let all = ["Accept: application/fhir+json", "User-Agent: hrgate"]
    return token.map { all + ["Authorization: Bearer \($0)"] } ?? all
  }

  private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    do {
      return try await connection.send(request)
    } catch let failure as TransferError {
      try Task.checkCancellation()
      throw ExternalStoreError(failure, from: address)
    }
  }
}

/// What a status says about a request or an entry of a transaction (RFC 9110, section 15).
enum ServerVerdict: Sendable {
  case taken
  /// The server rejected the content.
  case refused(status: Int, OperationOutcome?)
  /// The server failed. The cause may be the server or the content.
  case failed(status: Int, ExternalStoreError)

  /// Interprets the status of a response.
  ///
  /// - Throws: `ExternalStoreError` if the status does not concern the content, such as 401.
  init(_ httpResponse: HTTPResponse, from address: FHIRAddress) throws(ExternalStoreError) {
    let outcome = try? JSONDecoder().decode(OperationOutcome.self, from: httpResponse.body)
    try self.init(httpResponse.status, outcome, ExternalStoreError(httpResponse, from: address.host))
  }

  /// Interprets the status of one entry in an accepted transaction. Some servers report errors only there.
  init(
    _ response: TransactionResponse.Entry.Response, from address: FHIRAddress
  ) throws(ExternalStoreError) {
    let httpResponse = HTTPResponse(status: response.code ?? 0, body: Data())
    try self.init(httpResponse.status, response.outcome, ExternalStoreError(httpResponse, from: address.host))
  }

  private init(
    _ status: Int, _ outcome: OperationOutcome?, _ error: ExternalStoreError
  ) throws(ExternalStoreError) {
    switch status {
    case 200..<300:
      self = .taken
    // A proxy may also respond with 400. It counts as a rejection only if the response names an error in the
    // content, which shows that the server has read it.
    case 400 where outcome?.isAboutContent == true, 409, 412, 413, 422:
      self = .refused(status: status, outcome)
    // Other statuses only concern the server. So does any status with Retry-After, which an overloaded server
    // sends.
    case _ where [500, 502, 504].contains(status) && error.outlook == .passing:
      self = .failed(status: status, error)
    default:
      throw error
    }
  }
}
