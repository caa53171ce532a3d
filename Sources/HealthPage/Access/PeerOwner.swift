import Glibc

/// Asks the kernel which user owns the other end of a local connection.
///
/// For TCP, `NETLINK_SOCK_DIAG` looks up the client's socket in constant time. A stolen cookie is useless to
/// other users, because their sockets have another owner.
enum PeerOwner {
  /// Returns the user who owns the client's socket of a TCP connection.
  /// - Parameters:
  ///   - client: The client's address and port.
  ///   - server: The server's address and port.
  /// - Returns: `nil` if there is no such connection, or if the client is closing it and the kernel no longer
  ///   knows the owner.
  static func ofConnection(from client: SocketAddress, to server: SocketAddress) -> uid_t? {
    guard let found = socket(at: client, connectedTo: server), found.state == established, found.inode != 0
    else { return nil }
    return found.user
  }

  /// Returns whether the kernel can report the owner of a socket. This is tested with a listening socket of
  /// this process.
  static func canAsk(about listening: SocketAddress) -> Bool {
    socket(at: listening, connectedTo: SocketAddress(anyOf: listening)) != nil
  }

  /// Returns the user at the other end of a connection on a Unix domain socket.
  static func ofLocal(_ connection: Int32) -> uid_t? {
    var credentials = Credentials(process: 0, user: 0, group: 0)
    var size = socklen_t(MemoryLayout<Credentials>.size)
    guard getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    return credentials.user
  }

  /// `struct ucred`, which Swift does not import.
  private struct Credentials {
    var process: pid_t
    var user: uid_t
    var group: gid_t
  }

  private struct Found {
    var state: UInt8
    var user: uid_t
    var inode: UInt32
  }

  // Constants of <linux/netlink.h>, <linux/sock_diag.h> and <linux/inet_diag.h>, which Swift does not import.
  private static let sockDiag: Int32 = 4
  private static let byFamily: UInt16 = 20
  private static let request: UInt16 = 1
  private static let established: UInt8 = 1
  private static let requestSize = 72
  private static let answerSize = 88

  private static func socket(at local: SocketAddress, connectedTo remote: SocketAddress) -> Found? {
    let netlink = Glibc.socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), sockDiag)
    guard netlink >= 0 else { return nil }
    defer { close(netlink) }
    // The kernel responds before `send` returns, so this timeout should never expire.
    var timeout = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let netlinkRequest = message(local, remote)
    guard send(netlink, netlinkRequest, netlinkRequest.count, 0) == netlinkRequest.count else { return nil }
    var response = [UInt8](repeating: 0, count: 512)
    let count = recv(netlink, &response, response.count, 0)
    guard count >= answerSize else { return nil }
    return response.withUnsafeBytes { bytes in
      // An error message from the kernel has another type.
      guard bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == byFamily else { return nil }
      return Found(
        state: bytes[17], user: bytes.loadUnaligned(fromByteOffset: 80, as: UInt32.self),
        inode: bytes.loadUnaligned(fromByteOffset: 84, as: UInt32.self))
    }
  }

  /// Returns a netlink message that asks for one socket: a `nlmsghdr` and an `inet_diag_req_v2`.
  private static func message(_ local: SocketAddress, _ remote: SocketAddress) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value) { bytes += $0 } }
    add(UInt32(requestSize))
    add(byFamily)
    add(request)
    add(UInt32(1))  // sequence number
    add(UInt32(0))  // to the kernel
    bytes += [UInt8(local.family), UInt8(IPPROTO_TCP), 0, 0]
    add(UInt32.max)  // in any state
    add(local.port.bigEndian)
    add(remote.port.bigEndian)
    for address in [local, remote] {
      bytes += address.bytes + [UInt8](repeating: 0, count: 16 - address.bytes.count)
    }
    add(UInt32(0))  // on any interface
    add(UInt64.max)  // no socket cookie
    return bytes
  }
}
