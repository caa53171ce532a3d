import Foundation
import Glibc
import NIOCore

/// Who owns the other end of a connection from this machine to itself, as the kernel's table of sockets says.
///
/// A stolen cookie is worth nothing to another user by that: they cannot own a socket of this one's.
enum LoopbackPeers {
  /// - Parameters:
  ///   - client: The address from which the connection comes.
  ///   - server: The address to which it goes.
  /// - Returns: `nil` where there is no such connection, or its end is being closed: then the kernel no
  ///   longer says whose it was.
  static func owner(of client: SocketAddress, to server: SocketAddress) -> uid_t? {
    guard let own = TableAddress(client), let other = TableAddress(server) else { return nil }
    let file = own.isLong ? "/proc/self/net/tcp6" : "/proc/self/net/tcp"
    return contents(of: file).flatMap { owner(of: own, to: other, in: $0) }
  }

  /// The kernel gives such a file bit by bit, and does not say how long it is: Foundation takes the first
  /// part for the whole.
  private static func contents(of file: String) -> String? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var (whole, part) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = read(descriptor, &part, part.count)
      if count == 0 { return String(decoding: whole, as: UTF8.self) }
      guard count > 0 else {
        if errno == EINTR { continue }
        return nil
      }
      whole += part[..<count]
    }
  }

  static func owner(of client: TableAddress, to server: TableAddress, in table: String) -> uid_t? {
    for line in table.split(separator: "\n") {
      // sl, local address, remote address, state, queues, timer, retransmissions, uid, timeout, inode
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, fields[1] == client.text, fields[2] == server.text else { continue }
      // Of a socket that its program has closed the table says root, whoever's it was.
      guard fields[3] == "01", fields[9] != "0" else { return nil }
      return uid_t(fields[7])
    }
    return nil
  }

  /// An address as the kernel's table writes it: words of the address in the machine's order, and the port.
  struct TableAddress: Hashable {
    let text: String
    let isLong: Bool

    init?(_ address: SocketAddress) {
      switch address {
      case .v4(let address):
        let socket = address.address
        text = Self.word(socket.sin_addr.s_addr) + ":" + Self.port(socket.sin_port)
        isLong = false
      case .v6(let address):
        let socket = address.address
        let words = withUnsafeBytes(of: socket.sin6_addr) { Array($0.bindMemory(to: UInt32.self)) }
        text = words.map(Self.word).joined() + ":" + Self.port(socket.sin6_port)
        isLong = true
      case .unixDomainSocket: return nil
      }
    }

    private static func word(_ word: UInt32) -> String { digits(UInt64(word), 8) }
    private static func port(_ port: UInt16) -> String { digits(UInt64(UInt16(bigEndian: port)), 4) }

    private static func digits(_ number: UInt64, _ count: Int) -> String {
      let digits = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: count - digits.count) + digits
    }
  }
}
