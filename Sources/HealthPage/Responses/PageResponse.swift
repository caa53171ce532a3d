import HealthDataSync

struct PageResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case file(PageFile)
    /// Writes the body piece by piece, as fast as the client reads it.
    case stream(@Sendable (ResponseBody) async throws -> Void)
  }

  var status: HTTPStatus = .ok
  /// Header fields by name. Every response also has ``guards``. libmicrohttpd's own pages about malformed
  /// requests do not, and contain no data.
  var fields: [String: String]
  let body: Body
  /// Whether a browser may keep it.
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

  /// Path of the style sheet, the only file that a browser may read without a session.
  static let look = "/style.css"

  /// The error response: JSON for a script, an HTML page for a person who opens the address.
  static func refusal(_ fault: PageError, of request: HTTPRequest) -> PageResponse {
    let isOfScript = request.isChange || request.target.hasPrefix("/api/")
    var answer = isOfScript ? .fault(fault) : sentence(fault)
    if request.isChange || fault.endsConnection { answer.fields["Connection"] = "close" }
    return answer
  }

  /// An HTML page with the error message.
  private static func sentence(_ fault: PageError) -> PageResponse {
    PageResponse("text/html; charset=utf-8", markup(of: fault).utf8, status: fault.status)
  }

  /// An HTML page that contains only the error message, escaped.
  static func markup(of fault: PageError) -> String {
    let message = fault.message.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <meta name="color-scheme" content="light dark"><link rel="stylesheet" href="\(look)">
      <title>hrgate</title><main><p class="alone">\(message)</p></main></html>

      """
  }

  static func fault(_ fault: PageError) -> PageResponse {
    let value = ["error": fault.word, "message": fault.message, "field": fault.field].compactMapValues(\.self)
    var answer = PageResponse(
      "application/json", (try? JSONLine.bytes(value)) ?? Array("{}".utf8), status: fault.status)
    if fault.status == .tooManyRequests { answer.fields["Retry-After"] = "1" }
    return answer
  }

  /// The fields of this response and those of every response.
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
