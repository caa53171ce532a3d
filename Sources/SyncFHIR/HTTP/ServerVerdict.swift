import Foundation
import HealthDataSync

/// What an answer to a request means for what was sent.
enum ServerVerdict: Sendable {
  case taken(Data)
  /// Something in the request is not as the server wants it.
  case refused(status: Int, OperationOutcome?)

  /// - Throws: `ExternalStoreError`, where the answer says nothing about what was sent.
  init(_ answer: FHIRClient.Answer, from address: FHIRAddress) throws(ExternalStoreError) {
    let host = address.host
    switch answer.status {
    case 200..<300:
      self = .taken(answer.body)
    case 300..<400:
      throw ExternalStoreError(
        "\(host) sends to \(Self.place(answer.location)): if that is the same server, add it with that address; "
          + "the token is sent to no other.", outlook: .lasting)
    case 401:
      throw ExternalStoreError(
        "\(host) does not accept the token: put a valid one into the file of the secret.", outlook: .lasting)
    case 403:
      throw ExternalStoreError(
        "\(host) allows the token's owner no such change: let its administrator allow writing Observation "
          + "and Device.", outlook: .lasting)
    case 404, 405, 501:
      throw ExternalStoreError(
        "\(host) takes no FHIR transactions at this address: check the base of the URL.", outlook: .lasting)
    case 406, 415:
      throw ExternalStoreError("\(host) does not take FHIR as JSON.", outlook: .lasting)
    case 408, 425, 429, 500...:
      let wait = RetryAfter.wait(answer.retryAfter, date: answer.date)
      let what = answer.status == 429 ? "is asked too often" : "has a fault of its own or is overloaded"
      throw ExternalStoreError(
        "\(host) \(what) (it answered \(answer.status)).", outlook: wait.map { .passingAfter($0) } ?? .passing
      )
    case 400..<500:
      self = .refused(
        status: answer.status, try? JSONDecoder().decode(OperationOutcome.self, from: answer.body))
    default:
      throw ExternalStoreError(
        "\(host) answered \(answer.status), which is no answer of HTTP.", outlook: .lasting)
    }
  }

  /// Without a query, where there may be a secret.
  private static func place(_ location: String?) -> String {
    guard let location, var parts = URLComponents(string: location) else { return "another address" }
    parts.query = nil
    parts.fragment = nil
    parts.user = nil
    parts.password = nil
    return parts.string ?? "another address"
  }
}
