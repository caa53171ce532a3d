internal import Glibc

/// A socket on which whole messages go to a place of this machine.
final class DatagramSocket: Sendable {
  private let descriptor: Int32
  private let place: sockaddr_un
  private let length: socklen_t

  /// So long a receiver that is behind is waited for; systemd's manager takes what it gets at once.
  private static let patience = 5

  /// - Parameter place: The path of a socket, or `@` and a name of the abstract name space (unix(7)).
  /// - Returns: `nil` for what is neither, and where the system has no socket for us.
  init?(to place: String) {
    guard let (address, length) = Self.address(of: place) else { return nil }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    self.place = address
    self.length = length
    var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// - Returns: 0 once it is sent, else the reason (`errno`).
  func send(_ bytes: [UInt8]) -> Int32 {
    while true {
      let count = withPlace { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length) }
      if count >= 0 { return 0 }
      if errno != EINTR { return errno }
    }
  }

  /// Whether somebody listens there, whom this program may speak to.
  var isHeard: Bool {
    // The socket that sends is left without a partner, so that it finds a receiver that has begun anew.
    let probe = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { return false }
    defer { close(probe) }
    return withPlace { connect(probe, $0, length) } == 0
  }

  private func withPlace<Value>(_ body: (UnsafePointer<sockaddr>) -> Value) -> Value {
    withUnsafePointer(to: place) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) } }
  }

  /// In the abstract name space the name begins behind a null, and its length is part of it.
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
