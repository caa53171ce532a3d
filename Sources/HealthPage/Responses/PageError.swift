import HealthKit

/// An error that the page responds with.
struct PageError: Error, Hashable {
  let status: HTTPStatus
  /// A stable identifier for the page's scripts.
  let word: String
  /// A sentence for the user that says what to do.
  let message: String
  /// The field of the request that is not valid; `nil` if the error does not concern a single field.
  var field: String?

  static let foreignHost = PageError(
    status: .misdirectedRequest, word: "host",
    message: "This server only responds to its own address: open the one that hrgate page has printed.")
  static let foreignSite = PageError(
    status: .forbidden, word: "forbidden",
    message: "The request comes from another site: open the address that hrgate page has printed.")
  static let noSession = PageError(
    status: .unauthorized, word: "session",
    message: "This session has ended. Run hrgate page for a new address.")
  static let code = PageError(
    status: .forbidden, word: "forbidden",
    message: "This address was already used or is older than a minute. Run hrgate page for a new one.")
  static let changeKey = PageError(
    status: .forbidden, word: "forbidden",
    message: "The page is older than its session: reload it.")
  static let mediaType = PageError(
    status: .unsupportedMediaType, word: "media-type", message: "Changes must be application/json.")
  static let method = PageError(
    status: .methodNotAllowed, word: "method",
    message: "This address does not support the HTTP method of the request.")
  static let unknown = PageError(status: .notFound, word: "unknown", message: "There is no such address.")
  static let tooLarge = PageError(
    status: .contentTooLarge, word: "too-large", message: "A change can have at most 64 kB: split it.")
  static let busy = PageError(
    status: .tooManyRequests, word: "busy", message: "Too many requests at once: try again in a moment.")

  static let locked = PageError(
    status: .locked, word: "locked",
    message: "The store is encrypted and locked. Enter its passphrase, or run hrgate store unlock.")

  static let malformed = PageError(
    status: .badRequest, word: "malformed", message: "The request is not well-formed HTTP.")
  static let transferEncoding = PageError(
    status: .notImplemented, word: "transfer-encoding",
    message: "The only supported transfer encoding is chunked.")
  static let headTooLarge = PageError(
    status: .requestHeaderFieldsTooLarge, word: "head-too-large",
    message: "The browser sends too many cookies: delete those of 127.0.0.1 and localhost.")

  /// Whether the connection must be closed, because it is unknown where the request ends.
  var endsConnection: Bool { [.malformed, .transferEncoding, .headTooLarge].contains(self) }

  /// Returns the error for a missing or invalid parameter.
  static func argument(_ message: String) -> PageError {
    PageError(status: .badRequest, word: "argument", message: message)
  }

  /// Returns the error for a value that the user entered and that is possible but probably a mistake. The
  /// page asks the user to confirm it, and then sends the value again with `confirmed`.
  static func implausible(_ message: String) -> PageError {
    PageError(status: .conflict, word: "implausible", message: message, field: "value")
  }

  static func absent(_ message: String) -> PageError {
    PageError(status: .notFound, word: "unknown", message: message)
  }

  static func conflict(_ message: String) -> PageError {
    PageError(status: .conflict, word: "conflict", message: message)
  }

  /// Returns the error for a store that cannot be read or written at the moment.
  static func store(_ message: String) -> PageError {
    PageError(status: .serviceUnavailable, word: "store", message: message)
  }
}

extension PageError {
  /// Converts any error that a route threw.
  init(_ error: any Error) {
    switch error {
    case let fault as PageError: self = fault
    case let error as HKError where error.localizedDescription.contains("SQLITE_BUSY"):
      self = .store("Another program is writing to the store. Try again in a moment.")
    case let error as HKError where error.isOfLockedStore: self = .locked
    case let error as HKError: self = .store(error.localizedDescription)
    default: self = .store("The request failed: \(error.localizedDescription)")
    }
  }
}
