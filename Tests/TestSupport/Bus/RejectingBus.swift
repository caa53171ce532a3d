import Foundation
import Glibc
import Synchronization

/// A server at a bus address that rejects all clients and closes their connections. Its thread ends when the
/// object is released.
final class RejectingBus: Sendable {
  /// The D-Bus address.
  let address: String
  private let folder: URL
  private let listening: Int32
  private let count = Count()

  private final class Count: Sendable {
    let value = Mutex(0)
  }

  /// The number of rejected clients.
  var rejected: Int { count.value.withLock { $0 } }

  init() throws {
    folder = URL(filePath: "/tmp/reject-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    address = "unix:path=\(folder.path)/bus"
    let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    self.listening = listening
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: Array("\(folder.path)/bus".utf8) + [0]) }
    let isBound = withUnsafePointer(to: place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, listen(listening, 16) == 0 else { throw POSIXError(.EIO) }
    Thread.detachNewThread { [count] in
      while case let client = accept(listening, nil, nil), client >= 0 {
        Self.reject(client)
        count.value.withLock { $0 += 1 }
      }
      close(listening)
    }
  }

  private static func reject(_ client: Int32) {
    var byte: UInt8 = 0
    while byte != UInt8(ascii: "\n"), read(client, &byte, 1) == 1 {}
    let answer = Array("REJECTED EXTERNAL\r\n".utf8)
    _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
    close(client)
  }

  deinit {
    // Shutting the socket down ends the thread, which waits in accept(2).
    shutdown(listening, Int32(SHUT_RDWR))
    try? FileManager.default.removeItem(at: folder)
  }
}
