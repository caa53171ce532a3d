import Foundation
import HealthDataSync

/// Creates errors from HTTP statuses that concern the server or the request rather than a sample. Their texts
/// say what the user can do.
extension ExternalStoreError {
  init(_ response: HTTPResponse, from host: String) {
    self =
      Self.ofAccess(response.status, host) ?? Self.ofAddress(response, host)
      ?? Self.ofMachine(response, host)
      ?? Self(
        "\(host) answered \(response.status), which is not about a sample: check its log and any proxy "
          + "in front of it", outlook: .lasting)
  }

  private static func ofAccess(_ status: Int, _ host: String) -> Self? {
    switch status {
    case 401:
      Self(
        "\(host) rejects the token: put a valid one into the secret's file", outlook: .lasting)
    case 402:
      Self("\(host) requires payment: settle the account there", outlook: .lasting)
    case 403:
      Self(
        "\(host) does not permit the change with this token: ask its administrator to allow reading and writing "
          + "Observation and Device", outlook: .lasting)
    case 407:
      Self(
        "a proxy in front of \(host) requires a login: configure it to let this computer through",
        outlook: .lasting
      )
    default: nil
    }
  }

  private static func ofAddress(_ response: HTTPResponse, _ host: String) -> Self? {
    switch response.status {
    case 300..<400:
      Self(
        "\(host) redirects to \(place(response.location)): if that is the same server, add it with that address; "
          + "the token is not sent to another server", outlook: .lasting)
    case 400:
      Self(
        "\(host) rejects the request, but not for a sample: check the base of the URL, and any proxy "
          + "in front of the FHIR server", outlook: .lasting)
    case 404, 405, 410, 501:
      Self(
        "\(host) does not accept FHIR transactions at this address: check the base of the URL",
        outlook: .lasting)
    case 406, 415:
      Self("\(host) does not accept FHIR as JSON: ask its administrator to enable it", outlook: .lasting)
    case 421:
      Self("\(host) responds for another host name: use the name in its own address", outlook: .lasting)
    default: nil
    }
  }

  private static func ofMachine(_ response: HTTPResponse, _ host: String) -> Self? {
    let wait = RetryAfter.wait(response.retryAfter, date: response.date)
    let outlook = wait.map { Outlook.passingAfter($0) } ?? .passing
    return switch response.status {
    case 429:
      Self(
        "\(host) limits the number of requests (429): if this continues, ask its administrator for a higher limit",
        outlook: outlook)
    case 408, 423, 424, 425, 500...599:
      Self(
        "\(host) has an internal error or is overloaded (\(response.status)): see its log",
        outlook: outlook)
    default: nil
    }
  }

  /// Returns the address of a redirect without the parts that may contain a secret, such as the query.
  private static func place(_ location: String?) -> String {
    guard let location, var parts = URLComponents(string: location) else { return "another address" }
    parts.query = nil
    parts.fragment = nil
    parts.user = nil
    parts.password = nil
    return parts.string ?? "another address"
  }
}

/// Parses the Retry-After header field (RFC 9110, section 10.2.3): a number of seconds, or a date.
enum RetryAfter {
  /// Returns the time to wait.
  ///
  /// - Parameters:
  ///   - field: The value of Retry-After.
  ///   - date: The response's Date field. A date in Retry-After is relative to it, because the server's clock
  ///     may differ from the local one.
  ///   - now: The current time, used if the response has no Date field.
  /// - Returns: At most one day, because the server may recover earlier.
  static func wait(_ field: String?, date: String?, now: Date = Date()) -> Duration? {
    guard let field = field?.trimmingCharacters(in: .whitespaces), !field.isEmpty else { return nil }
    if field.allSatisfy({ $0.isASCII && $0.isNumber }) {
      return .seconds(min(Int(field) ?? .max, 86_400))
    }
    guard let time = httpDate(field) else { return nil }
    let asked = time.timeIntervalSince(date.flatMap(httpDate) ?? now)
    return .seconds(min(max(asked, 0), 86_400))
  }

  /// Parses a date in the three forms that a recipient must accept (RFC 9110, section 5.6.7).
  static func httpDate(_ text: String) -> Date? {
    let words = text.split { " ,-".contains($0) }.map(String.init)
    guard words.count >= 5 else { return nil }
    // The words of `Sun Nov  6 08:49:37 1994` are in another order than those of the other two forms,
    // `Sun, 06 Nov 1994 08:49:37 GMT` and `Sunday, 06-Nov-94 08:49:37 GMT`.
    let isOfC = words[3].contains(":")
    let (day, month, year, time) =
      isOfC ? (words[2], words[1], words[4], words[3]) : (words[1], words[2], words[3], words[4])
    let clock = time.split(separator: ":").compactMap { Int($0) }
    guard let day = Int(day), let month = months.firstIndex(of: month), var full = Int(year),
      clock.count == 3,
      (1...31).contains(day), (0...23).contains(clock[0]), (0...59).contains(clock[1]),
      (0...60).contains(clock[2])
    else { return nil }
    // A two-digit year below 77 belongs to this century.
    if year.utf8.count == 2 { full += full < 77 ? 2000 : 1900 }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    return calendar.date(
      from: DateComponents(
        year: full, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2]))
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
