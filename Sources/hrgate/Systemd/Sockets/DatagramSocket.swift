internal import Glibc

/// A Unix datagram socket for sending.
final class DatagramSocket: Sendable {
  private let descriptor: Int32
  private let place: sockaddr_un
  private let length: socklen_t

  /// Send timeout in seconds for a busy receiver. systemd's manager receives immediately.
  private static let timeout = 5

  /// Opens a socket.
  ///
  /// - Parameter place: The path of a socket, or `@` and a name in the abstract namespace (unix(7)).
  /// - Returns: `nil` if the path is invalid or no socket can be created.
  init?(to place: String) {
    guard let (address, length) = Self.address(of: place) else { return nil }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    self.place = address
    self.length = length
    // A struct timeval: seconds and microseconds. In release builds Swift finds the type only in CBluetooth,
    // which includes <sys/time.h> too, and this file does not import it.
    var timeout: [Int] = [Self.timeout, 0]
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(2 * MemoryLayout<Int>.size))
  }

  deinit { close(descriptor) }

  /// Sends a message.
  ///
  /// - Returns: 0, or the `errno` of the failure.
  func send(_ bytes: [UInt8]) -> Int32 {
    while true {
      let count = withPlace { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length) }
      if count >= 0 { return 0 }
      if errno != EINTR { return errno }
    }
  }

  /// Whether a process is listening that this program may send to.
  var isHeard: Bool {
    // Probe with a separate socket. The sending one stays unconnected, so that it reaches a restarted
    // receiver.
    let probe = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { return false }
    defer { close(probe) }
    return withPlace { connect(probe, $0, length) } == 0
  }

  private func withPlace<Value>(_ body: (UnsafePointer<sockaddr>) -> Value) -> Value {
    withUnsafePointer(to: place) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) } }
  }

  /// Returns the socket address. An abstract name begins after a null byte and is as long as the address
  /// says.
  private static func address(of place: String) -> (sockaddr_un, socklen_t)? {
    let isAbstract = place.hasPrefix("@")
    guard isAbstract || place.hasPrefix("/"), !place.utf8.contains(0) else { return nil }
    var bytes = Array(place.utf8)
    if isAbstract { bytes[0] = 0 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard bytes.count > 1, bytes.count < room else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let begin = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
    return (address, socklen_t(begin + bytes.count + (isAbstract ? 0 : 1)))
  }
}
