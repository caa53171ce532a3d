import Foundation
import HealthDataSync

/// A request that has passed the access checks.
struct PageRequest: Sendable {
  let path: String
  /// The query parameters. If a name is repeated, its first value is used.
  let parameters: [String: String]
  /// The values of all `source` parameters.
  let sources: [String]
  let session: PageSessions.Session
  /// The file that contains the body of the request; `nil` if the body is in memory.
  let upload: UploadedFile?
  private let content: [UInt8]

  init(_ request: HTTPRequest, in session: PageSessions.Session) throws(PageError) {
    (path, parameters) = try Self.parts(of: request.target)
    sources = try Self.pairs(of: request.target).filter { $0.name == "source" && !$0.value.isEmpty }.map(
      \.value)
    (self.session, content, upload) = (session, request.body, request.upload)
  }

  /// Splits a request target into path and parameters.
  /// - Throws: ``PageError`` if it does not have the form `/path?name=value`.
  static func parts(of target: String) throws(PageError) -> (path: String, parameters: [String: String]) {
    var target = target[...]
    if target.hasPrefix("http://") {
      // The target is an absolute URL. Ignore its host, because the Host field was checked.
      target = target.dropFirst("http://".count).drop { $0 != "/" }
    }
    guard target.hasPrefix("/") else { throw .argument("The request has no path.") }
    let parameters = try pairs(of: target).reduce(into: [String: String]()) {
      $0[$1.name] = $0[$1.name] ?? $1.value
    }
    return (String(target.prefix { $0 != "?" }), parameters)
  }

  private static func pairs(of target: some StringProtocol) throws(PageError) -> [(
    name: String, value: String
  )] {
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var pairs: [(name: String, value: String)] = []
    for pair in (halves.count > 1 ? halves[1] : "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = parts.map { String($0).replacing("+", with: " ").removingPercentEncoding }
      guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else {
        throw .argument("The address is not UTF-8.")
      }
      pairs.append((name, value))
    }
    return pairs
  }

  /// Maximum size of a request body in bytes, except for uploads.
  static let largestBody = 65_536

  /// Decodes the JSON body of a request.
  func body<Value: Decodable>(_ type: Value.Type) throws(PageError) -> Value {
    do {
      return try JSONLine.decode(type, from: Data(content))
    } catch let error as TimestampError {
      throw .argument("In the request, \(error).")
    } catch {
      throw .argument("The body of the request does not have the form that this address expects.")
    }
  }
}
