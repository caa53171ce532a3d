import Foundation
import Glibc

@testable import TestSupport

/// A listener on a Unix domain socket. It sends one response to each client, or accepts no connection.
final class LocalListener: Sendable {
  private let socket: Int32

  init(at path: String, saying text: String? = nil) throws {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    self.socket = socket
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let failed = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0 || listen(socket, 8) != 0
      }
    }
    guard !failed else { throw PageClient.SocketError(errno: errno) }
    guard let text else { return }
    Thread.detachNewThread {
      while case let client = accept(socket, nil, nil), client >= 0 {
        _ = Array(text.utf8).withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        // The request is read before the connection is closed; otherwise the end of the response would be
        // lost.
        var bytes = [UInt8](repeating: 0, count: 4096)
        _ = read(client, &bytes, bytes.count)
        close(client)
      }
    }
  }

  deinit {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }
}
