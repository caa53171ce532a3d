import HealthKit

/// An error response of the page.
struct PageFault: Error, Hashable {
  let status: HTTPStatus
  /// A stable identifier for the page's scripts.
  let word: String
  /// A sentence for the user that says what to do.
  let message: String

  static let foreignHost = PageFault(
    status: .misdirectedRequest, word: "host",
    message: "This server answers to its own address alone: open the one that hrgate page has printed.")
  static let foreignSite = PageFault(
    status: .forbidden, word: "forbidden",
    message: "The request comes from another site: open the address that hrgate page has printed.")
  static let noSession = PageFault(
    status: .unauthorized, word: "session",
    message: "This session has ended. Run hrgate page for a new address.")
  static let code = PageFault(
    status: .forbidden, word: "forbidden",
    message: "This address has been used, or is older than a minute. Run hrgate page for a new one.")
  static let changeKey = PageFault(
    status: .forbidden, word: "forbidden",
    message: "The page is older than its session: load it again.")
  static let mediaType = PageFault(
    status: .unsupportedMediaType, word: "media-type", message: "Changes are sent as application/json.")
  static let method = PageFault(
    status: .methodNotAllowed, word: "method", message: "There is nothing here that does that.")
  static let unknown = PageFault(status: .notFound, word: "unknown", message: "There is nothing here.")
  static let tooLarge = PageFault(
    status: .contentTooLarge, word: "too-large", message: "A change is at most 64 kB: do it in parts.")
  static let busy = PageFault(
    status: .tooManyRequests, word: "busy", message: "Too much is asked at once: try again in a moment.")

  static let malformed = PageFault(
    status: .badRequest, word: "malformed", message: "The request is not well-formed HTTP.")
  static let transferEncoding = PageFault(
    status: .notImplemented, word: "transfer-encoding",
    message: "The only transfer encoding understood here is chunked.")
  static let headTooLarge = PageFault(
    status: .requestHeaderFieldsTooLarge, word: "head-too-large",
    message: "The browser sends too many cookies: delete those of 127.0.0.1 and localhost.")

  /// Whether the connection closes because the end of the request is unknown.
  var endsConnection: Bool { [.malformed, .transferEncoding, .headTooLarge].contains(self) }

  /// A request with a missing or invalid parameter.
  static func argument(_ message: String) -> PageFault {
    PageFault(status: .badRequest, word: "argument", message: message)
  }

  static func absent(_ message: String) -> PageFault {
    PageFault(status: .notFound, word: "unknown", message: message)
  }

  static func conflict(_ message: String) -> PageFault {
    PageFault(status: .conflict, word: "conflict", message: message)
  }

  /// The store cannot be read or written at the moment.
  static func store(_ message: String) -> PageFault {
    PageFault(status: .serviceUnavailable, word: "store", message: message)
  }
}

extension PageFault {
  /// Converts an error that a route threw.
  init(_ error: any Error) {
    switch error {
    case let fault as PageFault: self = fault
    case let error as HKError: self = .store(error.localizedDescription)
    default: self = .store("It cannot be told: \(error.localizedDescription)")
    }
  }
}
