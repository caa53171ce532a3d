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

  /// For a browser that has no session yet: there is no file of ours that it may read.
  static func sentence(_ fault: PageFault) -> PageAnswer {
    let message = fault.message.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let text = """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>hrgate</title><p>\(message)</p></html>

      """
    return PageAnswer("text/html; charset=utf-8", text.utf8, status: fault.status)
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
