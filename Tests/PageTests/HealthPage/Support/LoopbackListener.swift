import Foundation
import Glibc

@testable import TestSupport

/// A listener that accepts no connection.
final class LoopbackListener: Sendable {
  private let socket: Int32
  let port: Int

  /// - Parameter port: the port, or 0 for any free port.
  init(port: Int = 0) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // The port can be used while closed connections of an earlier server are in TIME_WAIT.
    var isOn: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = socket
    let failed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) != 0 || listen(socket, 8) != 0 || getsockname(socket, $0, &size) != 0
      }
    }
    guard !failed else {
      let failure = PageClient.SocketError(errno: errno)
      // `deinit` does not run for an object that was never initialized.
      close(socket)
      throw failure
    }
    self.port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(socket) }
}
