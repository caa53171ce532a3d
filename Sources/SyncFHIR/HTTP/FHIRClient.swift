import AsyncHTTPClient
import Foundation
import HealthDataSync
import NIOCore
import NIOHTTP1
import NIOSSL

/// Asks one FHIR server. It follows no redirects: the token is for the server that the user named.
struct FHIRClient: Sendable {
  struct Answer: Sendable {
    var status: Int
    var location: String?
    var retryAfter: String?
    /// What the server's clock says: Retry-After may be a time on it.
    var date: String?
    var body: Data
  }

  let address: FHIRAddress
  let token: String?
  let timeout: Duration
  private let http: HTTPClient

  /// More than any server says of a bundle of ours.
  private static let longestAnswer = 16 << 20

  init(_ address: FHIRAddress, token: String?, timeout: Duration) throws(ExternalStoreError) {
    self.address = address
    self.token = token
    self.timeout = timeout
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: try Self.trust(address), redirectConfiguration: .disallow)
    configuration.timeout.connect = .nanoseconds(Int64(min(timeout / .nanoseconds(1), 10e9)))
    // Whoever calls tries again, later and less often.
    configuration.connectionPool.retryConnectionEstablishment = false
    http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  private static func trust(_ address: FHIRAddress) throws(ExternalStoreError) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    if let path = address.certificateAuthority {
      guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
        throw ExternalStoreError(
          "\(path), the file of ca, cannot be read as certificates (PEM).", outlook: .lasting)
      }
      configuration.trustRoots = .certificates(certificates)
    }
    return configuration
  }

  func close() async {
    try? await http.shutdown()
  }

  /// For an owner that goes without having closed it.
  func abandon() {
    http.shutdown(queue: .global()) { _ in }
  }

  /// - Parameter path: after the base, with its slash.
  func get(_ path: String) async throws -> Answer { try await send(.GET, path) }

  /// To the base itself, which takes bundles.
  func post(_ body: Data) async throws -> Answer { try await send(.POST, "", body: body) }

  private func send(_ method: HTTPMethod, _ path: String, body: Data? = nil) async throws -> Answer {
    var request = HTTPClientRequest(url: address.base + path)
    request.method = method
    request.headers.add(name: "Accept", value: "application/fhir+json")
    request.headers.add(name: "User-Agent", value: "hrgate")
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    if let body {
      request.headers.add(name: "Content-Type", value: "application/fhir+json; charset=utf-8")
      request.headers.add(name: "Prefer", value: "return=minimal")
      request.body = .bytes(body, length: .known(Int64(body.count)))
    }
    do {
      return try await withinTime { [http, request] in
        let response = try await http.execute(request, deadline: .distantFuture)
        let bytes = try await response.body.collect(upTo: Self.longestAnswer)
        return Answer(
          status: Int(response.status.code), location: response.headers.first(name: "Location"),
          retryAfter: response.headers.first(name: "Retry-After"),
          date: response.headers.first(name: "Date"), body: Data(bytes.readableBytesView))
      }
    } catch {
      try Task.checkCancellation()
      throw ExternalStoreError(connectionTo: address.host, failed: error, after: timeout)
    }
  }

  /// From the first byte to the last: a server that goes on sending a little is one that hangs.
  private func withinTime(_ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
    let timeout = timeout
    return try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let answer = first else {
        throw HTTPClientError.deadlineExceeded
      }
      return answer
    }
  }
}

extension ExternalStoreError {
  /// Why no answer came. None of these errors is told as it is: it may hold a URL or bytes.
  fileprivate init(connectionTo host: String, failed error: any Error, after timeout: Duration) {
    switch error {
    case let known as ExternalStoreError:
      self = known
    case is NIOSSLError where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"), is NIOSSLExtraError:
      self.init(
        "\(host) has a certificate that this computer does not trust: if it is your own authority's, "
          + "give its file with ?ca=/path.", outlook: .lasting)
    case is NIOSSLError:
      self.init("\(host) does not speak TLS at this address.", outlook: .lasting)
    case let failure as HTTPClientError where Self.timeouts.contains(failure):
      self.init(
        "\(host) did not answer within \(Int((timeout / .seconds(1)).rounded(.up))) s.", outlook: .passing)
    case is NIOTooManyBytesError:
      self.init("\(host) answers with more than a FHIR server says.", outlook: .lasting)
    case is HTTPParserError, is HTTPClientError:
      self.init("\(host) broke the connection off in the middle of an answer.", outlook: .passing)
    default:
      self.init(
        "\(host) cannot be reached: is the server running, and its name right?", outlook: .passing)
    }
  }

  private static let timeouts: [HTTPClientError] = [
    .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout,
    .getConnectionFromPoolTimeout,
  ]
}
