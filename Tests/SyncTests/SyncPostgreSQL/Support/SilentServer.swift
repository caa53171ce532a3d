import Foundation
import Glibc

/// A loopback server that sends one message to its first client, or accepts connections and sends nothing.
final class SilentServer: Sendable {
  let port: Int
  private let descriptor: Int32

  init(answering result: String? = nil) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = try withUnsafeMutablePointer(to: &address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        guard bind(descriptor, $0, length) == 0, listen(descriptor, 8) == 0,
          getsockname(descriptor, $0, &length) == 0
        else { throw POSIXError(.EADDRINUSE) }
      }
      return Int(UInt16(bigEndian: $0.pointee.sin_port))
    }
    self.descriptor = descriptor
    guard let result else { return }
    Thread.detachNewThread {
      let connection = accept(descriptor, nil, nil)
      var request = [UInt8](repeating: 0, count: 64)
      _ = read(connection, &request, request.count)
      _ = write(connection, result, result.utf8.count)
      _ = read(connection, &request, request.count)
      Glibc.close(connection)
    }
  }

  deinit { Glibc.close(descriptor) }
}
