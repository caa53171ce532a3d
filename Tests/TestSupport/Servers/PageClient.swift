import Dispatch
import Foundation
import Glibc

/// An HTTP client that sends exactly the given bytes, for example a wrong Host field, which no browser sends.
struct PageClient: Sendable {
  struct Answer: Sendable {
    var status = 0
    /// Header fields by lowercase name. Values of repeated fields are joined by a newline.
    var fields: [String: String] = [:]
    var body = Data()

    var text: String { String(decoding: body, as: UTF8.self) }

    func object() throws -> [String: Any] {
      try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:]
    }
  }

  struct SocketError: Error {
    var errno: Int32
  }

  let port: Int
  var host = "127.0.0.1"
  var cookie: String?
  var changeKey: String?

  /// - Parameter fields: header fields that replace the default fields, or are added to them.
  func get(_ target: String, _ fields: [String: String] = [:]) async throws -> Answer {
    try await ask("GET", target, fields, nil)
  }

  func post(_ target: String, _ body: String, _ fields: [String: String] = [:]) async throws -> Answer {
    try await ask("POST", target, fields, Data(body.utf8))
  }

  func ask(_ method: String, _ target: String, _ fields: [String: String], _ body: Data?) async throws
    -> Answer
  {
    var all = ["Host": "127.0.0.1:\(port)", "Connection": "close"]
    if let cookie { all["Cookie"] = cookie }
    if let body {
      all["Content-Type"] = "application/json"
      all["Content-Length"] = "\(body.count)"
      if let changeKey { all["X-HRGate-CSRF"] = changeKey }
    }
    all.merge(fields) { $1 }
    let head = all.filter { $0.value != "-" }.map { "\($0.key): \($0.value)\r\n" }.joined()
    return try await raw(Data("\(method) \(target) HTTP/1.1\r\n\(head)\r\n".utf8) + (body ?? Data()))
  }

  /// Sends the request, and returns all bytes that the server sends until it closes the connection.
  func raw(_ request: Data) async throws -> Answer {
    try await onOwnThread { [port, host] in
      let connection = try LoopbackConnection(port: port, host: host)
      try connection.send(request)
      return Answer(try connection.receiveAll())
    }
  }
}

extension PageClient.Answer {
  init(_ bytes: Data) {
    guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { return }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    status = lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = String(parts[1].drop { $0 == " " })
      fields[parts[0].lowercased(), default: ""] +=
        fields[parts[0].lowercased()] == nil ? value : "\n" + value
    }
    body = Data(bytes[end.upperBound...])
    if fields["transfer-encoding"] == "chunked" { body = Self.joined(body) }
  }

  private static func joined(_ chunks: Data) -> Data {
    var (rest, whole) = (chunks, Data())
    while let end = rest.firstRange(of: Data("\r\n".utf8)) {
      let digits = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
      guard let size = Int(digits, radix: 16), size > 0, rest.endIndex - end.upperBound >= size else { break }
      whole += rest[end.upperBound..<end.upperBound + size]
      rest = rest[(end.upperBound + size)...].dropFirst(2)
    }
    return whole
  }
}

/// A TCP connection to the loopback interface.
final class LoopbackConnection: Sendable {
  private let socket: Int32
  /// The local port of the connection.
  let port: Int

  /// - Parameter room: the size of the receive buffer in bytes; `nil` for the default.
  init(port: Int, host: String = "127.0.0.1", room: Int32? = nil) throws {
    let isLong = host.contains(":")
    let socket = Glibc.socket(isLong ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.socket = socket
    var timeout = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    if var room { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size)) }
    let failed =
      if isLong {
        Self.connect(socket, Self.long(port, host))
      } else {
        Self.connect(socket, Self.short(port, host))
      }
    guard failed == 0 else { throw PageClient.SocketError(errno: errno) }
    var own = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(socket, $0, &size) }
    }
    self.port = Int(UInt16(bigEndian: own.sin_port))
  }

  deinit { close(socket) }

  /// Makes another user the owner of the socket. Requires root.
  func give(to user: uid_t) throws {
    guard fchown(socket, user, .max) == 0 else { throw PageClient.SocketError(errno: errno) }
  }

  func send(_ bytes: Data) throws {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw PageClient.SocketError(errno: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns the available bytes, or no bytes if the peer has closed the connection.
  func receive() throws -> Data {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(socket, &bytes, bytes.count)
    // A connection that the peer has reset counts as closed.
    guard count >= 0 || errno == ECONNRESET else { throw PageClient.SocketError(errno: errno) }
    return Data(bytes[..<max(0, count)])
  }

  /// Returns the received text, up to and including `end`.
  func receive(until end: String) throws -> String {
    var all = Data()
    while all.suffix(end.utf8.count) != Data(end.utf8), case let some = try receive(), !some.isEmpty {
      all += some
    }
    return String(decoding: all, as: UTF8.self)
  }

  func receiveAll() throws -> Data {
    var all = Data()
    while case let some = try receive(), !some.isEmpty { all += some }
    return all
  }

  private static func short(_ port: Int, _ host: String) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return address
  }

  private static func long(_ port: Int, _ host: String) -> sockaddr_in6 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = UInt16(port).bigEndian
    inet_pton(AF_INET6, host, &address.sin6_addr)
    return address
  }

  private static func connect<Address>(_ socket: Int32, _ address: Address) -> Int32 {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}

/// Runs blocking work on its own thread, because the server needs the threads of the task pool.
func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "org.hrgate.tests.own-thread").async {
      continuation.resume(with: Result { try work() })
    }
  }
}
