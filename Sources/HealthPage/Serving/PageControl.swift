import Foundation
import Glibc
import HealthDataSync

/// Sends requests to the current user's running page servers, over their Unix domain sockets.
package struct PageControl: Sendable {
  /// The combined responses of all servers.
  package struct Responses<Value: Sendable>: Sendable {
    package let value: Value
    /// One sentence for each server that did not respond.
    package let failures: [String]
  }

  private let folders: [String]

  /// Creates a client.
  /// - Parameter folders: The directories that contain the servers' sockets.
  package init(socketsIn folders: [String]) { self.folders = folders }

  /// Returns the sessions of all running servers.
  package func sessions() -> Responses<[SessionView]> {
    each { path in
      guard let text = try Self.ask(path, "GET", "/sessions", nil) else { return [] }
      guard let list = try? JSONLine.decode(SessionList.self, from: text) else {
        throw PageServerError("the server at \(path) is not a page server")
      }
      let port = Int(path.split(separator: "-").last?.prefix { $0.isNumber } ?? "") ?? 0
      return list.sessions.map { session in
        var session = session
        session.port = port
        return session
      }
    }
  }

  /// Ends a session, or all sessions of all servers.
  /// - Parameter id: The ID of the session; `nil` for all.
  /// - Returns: The number of sessions that ended.
  package func end(_ id: String?) throws -> Responses<Int> {
    let wish = try JSONEncoder().encode(SessionEnd(id: id, all: id == nil ? true : nil))
    let ended = each { path -> [Int] in
      let text = try Self.ask(path, "POST", "/sessions/end", wish)
      return text.flatMap { try? JSONLine.decode(SessionsEnded.self, from: $0) }.map { [$0.ended] } ?? []
    }
    return Responses(value: ended.value.reduce(0, +), failures: ended.failures)
  }

  /// Returns the URL, with a new one-time code, of the page that a gateway serves for a store.
  /// - Returns: `nil` if no gateway serves a page for the store.
  package func address(ofStore file: String) throws -> String? {
    let wish = try JSONEncoder().encode(PageAddressRequest(store: file))
    // Ignore servers that do not respond: they could not serve the page either.
    return each { path -> [String] in
      let text = try Self.ask(path, "POST", "/open", wish)
      return text.flatMap { try? JSONLine.decode(PageAddress.self, from: $0) }.map { [$0.address] } ?? []
    }.value.first
  }

  private func each<Value: Sendable>(_ ask: (String) throws -> [Value]) -> Responses<[Value]> {
    var (values, failures) = ([Value](), [String]())
    for path in folders.flatMap({ SocketPath.all(in: $0) }) {
      do {
        values += try ask(path)
      } catch {
        failures.append((error as? PageServerError)?.description ?? error.localizedDescription)
      }
    }
    return Responses(value: values, failures: failures)
  }

  /// Sends a request.
  /// - Returns: The body of the response; `nil` if no server listens.
  private static func ask(_ path: String, _ method: String, _ route: String, _ body: Data?) throws -> Data? {
    var request = Data(
      "\(method) \(route) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body?.count ?? 0)\r\nConnection: close\r\n\r\n"
        .utf8)
    request.append(body ?? Data())
    guard let response = try exchange(request, at: path) else { return nil }
    guard let head = response.firstRange(of: Data("\r\n\r\n".utf8)) else {
      throw PageServerError("the server at \(path) is not a page server")
    }
    return response[head.upperBound...]
  }

  /// Sends a request and reads the response until the server closes the connection.
  /// - Returns: The response with its header fields; `nil` if no server listens.
  static func exchange(_ request: Data, at path: String) throws -> Data? {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else {
      throw PageServerError("cannot open a socket: \(String(cString: strerror(errno)))")
    }
    defer { close(socket) }
    // Set a timeout of 5 s in case the server hangs.
    var timeout = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    guard connect(socket, to: path) else {
      // No server listens: the socket is missing, or was left behind by a killed server.
      if errno == ECONNREFUSED || errno == ENOENT { return nil }
      throw PageServerError("cannot connect to \(path): \(String(cString: strerror(errno)))")
    }
    guard
      request.withUnsafeBytes({ send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) })
        == request.count
    else { throw PageServerError("cannot connect to \(path): \(String(cString: strerror(errno)))") }
    return try receive(socket, path)
  }

  private static func connect(_ socket: Int32, to path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      errno = ENAMETOOLONG
      return false
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  /// Maximum size of a response in bytes.
  private static let largest = 1 << 20

  private static func receive(_ socket: Int32, _ path: String) throws -> Data {
    var response = Data()
    var bytes = [UInt8](repeating: 0, count: 16_384)
    while response.count < largest {
      let count = read(socket, &bytes, bytes.count)
      if count == 0 { return response }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw PageServerError("the server at \(path) does not respond")
      }
      response.append(contentsOf: bytes[..<count])
    }
    throw PageServerError("the server at \(path) is not a page server")
  }
}
