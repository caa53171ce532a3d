import Foundation
import HTTPTypes
import HealthDataSync
import HummingbirdCore
import NIOCore

/// What a request gets.
struct PageAnswer: Sendable {
  var status: HTTPResponse.Status = .ok
  var fields: HTTPFields = [:]
  var body: ResponseBody

  init(_ mediaType: String, _ bytes: some Collection<UInt8>, status: HTTPResponse.Status = .ok) {
    self.status = status
    fields[.contentType] = mediaType
    body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
  }

  /// What is written bit by bit.
  init(_ mediaType: String, _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void)
  {
    fields[.contentType] = mediaType
    body = ResponseBody(write)
  }

  /// A file of the page, packed for who understands that.
  init(_ file: PageFile, packed isPacked: Bool) {
    guard isPacked else {
      self.init(file.mediaType, file.bytes)
      return
    }
    self.init(file.mediaType, file.packed)
    fields[.contentEncoding] = "gzip"
  }

  static func json(_ value: some Encodable) throws -> PageAnswer {
    PageAnswer("application/json", try JSONLine.bytes(value))
  }

  /// The style sheet: the one file that a browser may read without a session.
  static let look = "/style.css"

  /// For a browser that has no session yet.
  static func sentence(_ fault: PageFault) -> PageAnswer {
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
    if fault.status == .tooManyRequests { answer.fields[.retryAfter] = "1" }
    return answer
  }

  /// The whole head: with the fields that each answer has, whatever it is.
  func head() -> HTTPResponse {
    var fields = fields
    for (name, value) in Self.guards { fields[name] = value }
    if let length = body.contentLength { fields[.contentLength] = "\(length)" }
    return HTTPResponse(status: status, headerFields: fields)
  }

  private static let guards: [(HTTPField.Name, String)] = [
    (
      .contentSecurityPolicy,
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        + "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    (.cacheControl, "no-store"),
    (.xContentTypeOptions, "nosniff"),
    (HTTPField.Name("Referrer-Policy"), "no-referrer"),
    (HTTPField.Name("Cross-Origin-Opener-Policy"), "same-origin"),
    (HTTPField.Name("Cross-Origin-Resource-Policy"), "same-origin"),
    (HTTPField.Name("X-Frame-Options"), "DENY"),
  ].compactMap { (name: HTTPField.Name?, value: String) in name.map { ($0, value) } }
}
