import HealthKit

/// Why a request is not answered with what it asked for.
struct PageFault: Error, Hashable {
  let status: HTTPStatus
  /// For the page.
  let word: String
  /// For people: a sentence with the remedy.
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

  /// Whether nothing can be read after such a request.
  var endsConnection: Bool { [.malformed, .transferEncoding, .headTooLarge].contains(self) }

  /// Of a request, which names something that there is not, or cannot be.
  static func argument(_ message: String) -> PageFault {
    PageFault(status: .badRequest, word: "argument", message: message)
  }

  static func absent(_ message: String) -> PageFault {
    PageFault(status: .notFound, word: "unknown", message: message)
  }

  static func conflict(_ message: String) -> PageFault {
    PageFault(status: .conflict, word: "conflict", message: message)
  }

  /// The store cannot be read or written now.
  static func store(_ message: String) -> PageFault {
    PageFault(status: .serviceUnavailable, word: "store", message: message)
  }
}

extension PageFault {
  /// Of what a route threw.
  init(_ error: any Error) {
    switch error {
    case let fault as PageFault: self = fault
    case let error as HKError: self = .store(error.localizedDescription)
    default: self = .store("It cannot be told: \(error.localizedDescription)")
    }
  }
}
