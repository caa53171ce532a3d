import Foundation
import Glibc
import NIOCore
import Testing

@testable import HealthPage
@testable import TestSupport

/// Whose the other end of a connection is.
@Suite struct LoopbackPeerTests {
  private static let heading =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

  private func address(_ host: String, _ port: Int) throws -> LoopbackPeers.TableAddress {
    try #require(LoopbackPeers.TableAddress(SocketAddress(ipAddress: host, port: port)))
  }

  private func owner(_ lines: [String]) throws -> uid_t? {
    LoopbackPeers.owner(
      of: try address("127.0.0.1", 50_000), to: try address("127.0.0.1", 4711),
      in: Self.heading + lines.map { $0 + "\n" }.joined())
  }

  private func line(_ local: String, _ remote: String, state: String = "01", uid: Int, inode: Int = 7)
    -> String
  {
    "   0: \(local) \(remote) \(state) 00000000:00000000 00:00000000 00000000 \(uid)        0 \(inode) 1 0 20 4 30 10 -1"
  }

  @Test func `the owner is that of the other end, and not of ours`() throws {
    let lines = [
      line("0100007F:1267", "00000000:0000", state: "0A", uid: 7),
      line("0100007F:1267", "0100007F:C350", uid: 7), line("0100007F:C350", "0100007F:1267", uid: 1001),
      line("0100007F:C351", "0100007F:1267", uid: 1002),
    ]
    #expect(try owner(lines) == 1001)
    #expect(try owner(lines.dropLast(2)) == nil)
  }

  @Test func `an end that its program has closed is nobody's, though the table says root's`() throws {
    #expect(try owner([line("0100007F:C350", "0100007F:1267", state: "06", uid: 0, inode: 0)]) == nil)
    #expect(try owner([line("0100007F:C350", "0100007F:1267", state: "05", uid: 1001)]) == nil)
    #expect(try owner([line("0100007F:C350", "0100007F:1267", uid: 0, inode: 0)]) == nil)
  }

  @Test func `lines that are none are passed over`() throws {
    #expect(try owner(["", "x", "0: 0100007F:C350 0100007F:1267 01"]) == nil)
  }

  @Test func `long addresses are written word by word`() throws {
    #expect(try address("::1", 80).text == "00000000000000000000000001000000:0050")
  }

  /// The kernel gives the table in parts of a page.
  @Test func `among hundreds of connections each has its owner`() throws {
    let server = try LoopbackListener()
    // So many wait until they are taken up.
    let others = try (0..<40).map { _ in try LoopbackListener() }
    let clients = try others.flatMap { other in
      try (0..<4).map { _ in (try LoopbackConnection(port: other.port), other.port) }
    }
    let last = try LoopbackConnection(port: server.port)
    for (client, port) in clients + [(last, server.port)] {
      let end = try SocketAddress(ipAddress: "127.0.0.1", port: client.port)
      let to = try SocketAddress(ipAddress: "127.0.0.1", port: port)
      #expect(LoopbackPeers.owner(of: end, to: to) == geteuid())
    }
  }

  @Test func `the kernel's table has the ends of a connection that is there`() throws {
    let server = try LoopbackListener()
    let client = try LoopbackConnection(port: server.port)
    let other = try SocketAddress(ipAddress: "127.0.0.1", port: client.port)
    let own = try SocketAddress(ipAddress: "127.0.0.1", port: server.port)
    #expect(LoopbackPeers.owner(of: other, to: own) == geteuid())
    #expect(LoopbackPeers.owner(of: try SocketAddress(ipAddress: "127.0.0.1", port: 1), to: own) == nil)
  }
}
