import HealthDataSync

/// The response to a request.
struct PageAnswer: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case file(PageFile)
    /// Is written bit by bit, as fast as the client takes it.
    case stream(@Sendable (ResponseBody) async throws -> Void)
  }

  var status: HTTPStatus = .ok
  /// By their names. Each response has ``guards`` besides; libmicrohttpd's own pages about malformed requests
  /// have not, and hold no data.
  var fields: [String: String]
  let body: Body

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

  init(_ file: PageFile) { self.init(file.mediaType, .file(file)) }

  static func json(_ value: some Encodable) throws -> PageAnswer {
    PageAnswer("application/json", try JSONLine.bytes(value))
  }

  /// The style sheet: the one file that a browser may read without a session.
  static let look = "/style.css"

  /// What is said instead of the answer: to a script, or to a person who looks at it.
  static func refusal(_ fault: PageFault, of request: HTTPRequest) -> PageAnswer {
    let isOfScript = request.isChange || request.target.hasPrefix("/api/")
    var answer = isOfScript ? .fault(fault) : sentence(fault)
    if request.isChange || fault.endsConnection { answer.fields["Connection"] = "close" }
    return answer
  }

  /// For a browser that has no session yet.
  private static func sentence(_ fault: PageFault) -> PageAnswer {
    PageAnswer("text/html; charset=utf-8", markup(of: fault).utf8, status: fault.status)
  }

  /// The fault's sentence alone, as text.
  static func markup(of fault: PageFault) -> String {
    let message = fault.message.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <meta name="color-scheme" content="light dark"><link rel="stylesheet" href="\(look)">
      <title>hrgate</title><main><p class="alone">\(message)</p></main></html>

      """
  }

  static func fault(_ fault: PageFault) -> PageAnswer {
    let value = ["error": fault.word, "message": fault.message]
    var answer = PageAnswer(
      "application/json", (try? JSONLine.bytes(value)) ?? Array("{}".utf8), status: fault.status)
    if fault.status == .tooManyRequests { answer.fields["Retry-After"] = "1" }
    return answer
  }

  /// Its own fields, and those of every response.
  var allFields: [String: String] { fields.merging(Self.guards) { $1 } }

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
