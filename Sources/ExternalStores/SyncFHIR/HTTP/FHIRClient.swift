import Foundation
import HealthDataSync

/// Asks one FHIR server. It follows no redirects: the token is for the server that the user named.
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

  /// For an owner that goes without having closed it.
  func abandon() { connection.abandon() }

  /// - Parameters:
  ///   - path: after the base, with its slash.
  ///   - isFresh: asks the server not to answer with the result of an earlier search.
  func get(_ path: String, isFresh: Bool = false) async throws -> HTTPAnswer {
    let more = isFresh ? ["Cache-Control: no-cache"] : []
    return try await send(HTTPRequest(url: address.base + path, fields: fields + more))
  }

  /// To the base itself, which takes bundles.
  func post(_ body: Data) async throws -> HTTPAnswer {
    let content = ["Content-Type: application/fhir+json; charset=utf-8", "Prefer: return=minimal"]
    return try await send(HTTPRequest(url: address.base, fields: fields + content, body: body))
  }

  private var fields: [String] {
    let all = ["Accept: application/fhir+json", "User-Agent: hrgate"]
    return token.map { all + ["Authorization: Bearer \($0)"] } ?? all
  }

  private func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
    do {
      return try await connection.send(request)
    } catch let failure as TransferFailure {
      try Task.checkCancellation()
      throw ExternalStoreError(failure, from: address)
    }
  }
}
