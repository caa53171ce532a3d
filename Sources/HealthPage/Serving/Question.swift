import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// A request that has passed the door.
struct Question: Sendable {
  let path: String
  /// What stands behind `?`. A name that comes twice has its first value.
  let parameters: [String: String]
  /// Each `source` that is named.
  let sources: [String]
  let session: PageSessions.Session
  let request: Request
  let wire: Wire

  init(_ request: Request, in session: PageSessions.Session, on wire: Wire) throws(PageFault) {
    let target = request.head.path ?? ""
    (path, parameters) = try Self.parts(of: target)
    sources = try Self.pairs(of: target).filter { $0.name == "source" && !$0.value.isEmpty }.map(\.value)
    (self.session, self.request, self.wire) = (session, request, wire)
  }

  /// - Throws: ``PageFault`` for an address of another form than `/path?name=value`.
  static func parts(of target: String) throws(PageFault) -> (path: String, parameters: [String: String]) {
    guard target.hasPrefix("/") else { throw .argument("The request has no path.") }
    let parameters = try pairs(of: target).reduce(into: [String: String]()) {
      $0[$1.name] = $0[$1.name] ?? $1.value
    }
    return (String(target.prefix { $0 != "?" }), parameters)
  }

  private static func pairs(of target: String) throws(PageFault) -> [(name: String, value: String)] {
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var pairs: [(name: String, value: String)] = []
    for pair in (halves.count > 1 ? halves[1] : "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
      guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else {
        throw .argument("The address is not UTF-8.")
      }
      pairs.append((name, value))
    }
    return pairs
  }

  /// So much a change may be.
  static let largestBody = 65_536

  /// What a change says.
  /// - Throws: `NIOTooManyBytesError`; ``PageFault``.
  func body<Value: Decodable>(_ type: Value.Type) async throws -> Value {
    let bytes = try await request.body.collect(upTo: Self.largestBody)
    do {
      return try JSONDecoder().decode(type, from: Data(bytes.readableBytesView))
    } catch {
      throw PageFault.argument("The change is not of the form that this route takes.")
    }
  }
}
