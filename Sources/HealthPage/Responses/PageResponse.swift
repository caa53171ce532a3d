import HealthDataSync

struct PageResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case file(PageFile)
    /// A body that a function writes in pieces, as fast as the client reads them.
    case stream(@Sendable (ResponseBody) async throws -> Void)
  }

  var status: HTTPStatus = .ok
  /// The header fields by name. Every response also has the fields in ``guards``. The only exceptions are
  /// libmicrohttpd's own responses to malformed requests, which contain no data.
  var fields: [String: String]
  let body: Body
  /// Whether browsers may cache the response forever.
  private var isImmutable = false

  init(_ mediaType: String, _ body: Body, status: HTTPStatus = .ok) {
    (self.status, self.body) = (status, body)
    fields = ["Content-Type": mediaType]
  }

  init(_ mediaType: String, _ bytes: some Sequence<UInt8>, status: HTTPStatus = .ok) {
    self.init(mediaType, .bytes(Array(bytes)), status: status)
  }

  init(_ mediaType: String, _ write: @escaping @Sendable (ResponseBody) async throws -> Void) {
    self.init(mediaType, .stream(write))
  }

  init(_ file: PageFile) {
    self.init(file.mediaType, .file(file))
    isImmutable = file.isImmutable
  }

  static func json(_ value: some Encodable) throws -> PageResponse {
    PageResponse("application/json", try JSONLine.bytes(value))
  }

  /// The path of the style sheet. It is the only file that can be read without a session.
  static let look = "/style.css"

  /// Returns the response for an error: JSON for a script, or an HTML page for a user who opened the URL.
  static func requestError(_ error: PageError, of request: HTTPRequest) -> PageResponse {
    let isOfScript = request.isChange || request.target.hasPrefix("/api/")
    var response = isOfScript ? .error(error) : sentence(error)
    if request.isChange || error.endsConnection { response.fields["Connection"] = "close" }
    return response
  }

  /// Returns an HTML page with the error message.
  private static func sentence(_ error: PageError) -> PageResponse {
    PageResponse("text/html; charset=utf-8", markup(of: error).utf8, status: error.status)
  }

  /// Returns the text of an HTML page that contains only the error message.
  static func markup(of error: PageError) -> String {
    let message = error.message.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <meta name="color-scheme" content="light dark"><link rel="stylesheet" href="\(look)">
      <title>hrgate</title><main><p class="alone">\(message)</p></main></html>

      """
  }

  static func error(_ error: PageError) -> PageResponse {
    let value = ["error": error.word, "message": error.message, "field": error.field].compactMapValues(\.self)
    var response = PageResponse(
      "application/json", (try? JSONLine.bytes(value)) ?? Array("{}".utf8), status: error.status)
    if error.status == .tooManyRequests { response.fields["Retry-After"] = "1" }
    return response
  }

  /// The header fields of this response, including the fields that every response has.
  var allFields: [String: String] {
    var all = fields.merging(Self.guards) { $1 }
    if isImmutable { all["Cache-Control"] = "private, max-age=31536000, immutable" }
    return all
  }

  private static let guards = [
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
      + "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
  ]
}
