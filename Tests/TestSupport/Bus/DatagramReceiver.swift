import Glibc

/// A datagram socket that receives messages, like those of systemd's manager and journald.
final class DatagramReceiver: Sendable {
  private let descriptor: Int32
  /// The address, as in `NOTIFY_SOCKET`.
  let place: String

  /// - Parameter place: A path, or `@` and a name for the abstract namespace.
  init?(at place: String) {
    self.place = place
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(place.utf8)
    let isAbstract = place.hasPrefix("@")
    if isAbstract { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    guard result == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Returns the datagrams since the last call, as text.
  func take() -> [String] {
    var texts: [String] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = recv(descriptor, &buffer, buffer.count, 0), count >= 0 {
      texts.append(String(decoding: buffer[..<count], as: UTF8.self))
    }
    return texts
  }
}
