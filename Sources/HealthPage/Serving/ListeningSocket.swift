import Glibc

/// An IPv4 or IPv6 address with a port.
struct SocketAddress: Sendable, Hashable {
  /// The address in network byte order: 4 or 16 bytes.
  let bytes: [UInt8]
  let port: UInt16

  static func loopback(_ port: UInt16) -> SocketAddress { SocketAddress(bytes: [127, 0, 0, 1], port: port) }

  /// Returns the IPv6 loopback address `::1`.
  static func loopback6(_ port: UInt16) -> SocketAddress {
    SocketAddress(bytes: [UInt8](repeating: 0, count: 15) + [1], port: port)
  }

  var family: Int32 { bytes.count == 4 ? AF_INET : AF_INET6 }
}

extension SocketAddress {
  /// Creates the wildcard address (all zeros) of the same IP version.
  init(anyOf other: SocketAddress) {
    self.init(bytes: [UInt8](repeating: 0, count: other.bytes.count), port: 0)
  }

  /// Converts a C structure.
  /// - Returns: `nil` for a family other than IPv4 and IPv6.
  init?(_ storage: sockaddr_storage) {
    let address = withUnsafeBytes(of: storage) { bytes -> SocketAddress? in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let own = bytes.load(as: sockaddr_in.self)
        return SocketAddress(
          bytes: withUnsafeBytes(of: own.sin_addr) { Array($0) }, port: UInt16(bigEndian: own.sin_port))
      case AF_INET6:
        let own = bytes.load(as: sockaddr_in6.self)
        return SocketAddress(
          bytes: withUnsafeBytes(of: own.sin6_addr) { Array($0) }, port: UInt16(bigEndian: own.sin6_port))
      default: return nil
      }
    }
    guard let address else { return nil }
    self = address
  }

  /// The address as a C structure, with its size.
  var storage: (address: sockaddr_storage, size: socklen_t) {
    var storage = sockaddr_storage()
    let size = withUnsafeMutableBytes(of: &storage) { buffer in
      if family == AF_INET {
        var own = sockaddr_in()
        own.sin_family = sa_family_t(AF_INET)
        own.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &own.sin_addr) { $0.copyBytes(from: bytes) }
        buffer.storeBytes(of: own, as: sockaddr_in.self)
        return MemoryLayout<sockaddr_in>.size
      }
      var own = sockaddr_in6()
      own.sin6_family = sa_family_t(AF_INET6)
      own.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &own.sin6_addr) { $0.copyBytes(from: bytes) }
      buffer.storeBytes(of: own, as: sockaddr_in6.self)
      return MemoryLayout<sockaddr_in6>.size
    }
    return (storage, socklen_t(size))
  }
}

/// A listening socket, which is closed when its last reference is released.
final class ListeningSocket: Sendable {
  let descriptor: Int32

  /// Maximum number of connections that wait in the kernel to be accepted. Further clients retry after a
  /// second.
  private static let backlog: Int32 = 1024

  /// Listens on a TCP address.
  /// - Throws: ``PageServerError``.
  init(at address: SocketAddress) throws(PageServerError) {
    descriptor = try Self.open(address.family)
    // Without this, listening would fail while connections of a previous server are in TIME_WAIT.
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    if address.family == AF_INET6 {
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }
    var (storage, size) = address.storage
    let failed = withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) != 0 || listen(descriptor, Self.backlog) != 0
      }
    }
    if failed { throw PageServerError(port: Int(address.port), errno: errno) }
  }

  /// Listens on a Unix domain socket that only the current user can open.
  /// - Throws: ``PageServerError``.
  init(at place: SocketPath) throws(PageServerError) {
    descriptor = try Self.open(AF_UNIX)
    // Remove a socket that a killed server left behind. It cannot be in use, because its name contains the
    // port, which this server has now.
    place.remove()
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(place.path.utf8)) }
    let failed = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0
      }
    }
    guard !failed else {
      throw PageServerError("cannot create the socket \(place.path): \(String(cString: strerror(errno)))")
    }
    try place.restrict()
    guard listen(descriptor, Self.backlog) == 0 else {
      throw PageServerError("cannot create the socket \(place.path): \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  private static func open(_ family: Int32) throws(PageServerError) -> Int32 {
    let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, flags, 0)
    guard descriptor >= 0 else {
      throw PageServerError("the page cannot open a socket: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// The address of a TCP socket; `nil` for a Unix domain socket.
  var address: SocketAddress? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let failed = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) != 0 }
    }
    return failed ? nil : SocketAddress(storage)
  }
}
