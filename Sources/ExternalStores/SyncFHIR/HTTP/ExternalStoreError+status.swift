import Foundation
import HealthDataSync

/// What a status says of a server, or of how it was asked, with what to do.
extension ExternalStoreError {
  init(_ answer: HTTPAnswer, from host: String) {
    self =
      Self.ofAccess(answer.status, host) ?? Self.ofAddress(answer, host)
      ?? Self.ofMachine(answer, host)
      ?? Self(
        "\(host) answered \(answer.status), which says nothing about a sample: look at its log, and at what "
          + "stands in front of it", outlook: .lasting)
  }

  private static func ofAccess(_ status: Int, _ host: String) -> Self? {
    switch status {
    case 401:
      Self(
        "\(host) does not accept the token: put a valid one into the file of the secret", outlook: .lasting)
    case 402:
      Self("\(host) wants to be paid: settle the account there", outlook: .lasting)
    case 403:
      Self(
        "\(host) allows the token's owner no such change: let its administrator allow reading and writing "
          + "Observation and Device", outlook: .lasting)
    case 407:
      Self(
        "a proxy before \(host) wants a user of its own: have it let this computer through", outlook: .lasting
      )
    default: nil
    }
  }

  private static func ofAddress(_ answer: HTTPAnswer, _ host: String) -> Self? {
    switch answer.status {
    case 300..<400:
      Self(
        "\(host) sends to \(place(answer.location)): if that is the same server, add it with that address; "
          + "the token is sent to no other", outlook: .lasting)
    case 400:
      Self(
        "\(host) refuses the request and says nothing of a sample: check the base of the URL, and what stands "
          + "in front of the FHIR server", outlook: .lasting)
    case 404, 405, 410, 501:
      Self("\(host) takes no FHIR transactions at this address: check the base of the URL", outlook: .lasting)
    case 406, 415:
      Self("\(host) does not take FHIR as JSON: have its administrator switch that on", outlook: .lasting)
    case 421:
      Self("\(host) answers for another name: use the one in its own address", outlook: .lasting)
    default: nil
    }
  }

  private static func ofMachine(_ answer: HTTPAnswer, _ host: String) -> Self? {
    let wait = RetryAfter.wait(answer.retryAfter, date: answer.date)
    let outlook = wait.map { Outlook.passingAfter($0) } ?? .passing
    return switch answer.status {
    case 429:
      Self(
        "\(host) is asked too often (it answered 429): if that goes on, have its administrator allow more",
        outlook: outlook)
    case 408, 423, 424, 425, 500...599:
      Self(
        "\(host) has a fault of its own or is overloaded (it answered \(answer.status)): its log says more",
        outlook: outlook)
    default: nil
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
