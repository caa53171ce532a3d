import Foundation
import Glibc
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests finding the user who owns the other end of a connection.
@Suite struct PeerOwnerTests {
  private func owner(of client: LoopbackConnection, to port: Int) -> uid_t? {
    PeerOwner.ofConnection(from: .loopback(UInt16(client.port)), to: .loopback(UInt16(port)))
  }

  @Test func `the kernel knows the owner of an existing connection, and of no other`() throws {
    let server = try LoopbackListener()
    let client = try LoopbackConnection(port: server.port)
    let own = SocketAddress.loopback(UInt16(server.port))
    #expect(owner(of: client, to: server.port) == geteuid())
    #expect(PeerOwner.ofConnection(from: .loopback(1), to: own) == nil)
    #expect(PeerOwner.ofConnection(from: own, to: .loopback(1)) == nil)
    // There is no IPv6 connection with these ports.
    #expect(
      PeerOwner.ofConnection(
        from: .loopback6(UInt16(client.port)), to: .loopback6(UInt16(server.port))) == nil)
  }

  @Test func `the kernel knows the owner of an IPv6 connection`() throws {
    let server = try ListeningSocket(at: .loopback6(0))
    let port = try #require(server.address?.port)
    let client = try LoopbackConnection(port: Int(port), host: "::1")
    #expect(
      PeerOwner.ofConnection(from: .loopback6(UInt16(client.port)), to: .loopback6(port)) == geteuid())
  }

  @Test func `a listening socket is not the end of a connection, although the kernel knows it`() throws {
    let server = try LoopbackListener()
    let own = SocketAddress.loopback(UInt16(server.port))
    #expect(PeerOwner.canAsk(about: own))
    #expect(PeerOwner.ofConnection(from: own, to: .loopback(0)) == nil)
    #expect(!PeerOwner.canAsk(about: .loopback(1)))
  }

  @Test func `a closed end has no owner, although the kernel reports root`() throws {
    let server = try LoopbackListener()
    var client: LoopbackConnection? = try LoopbackConnection(port: server.port)
    let port = UInt16(try #require(client?.port))
    client = nil
    #expect(client == nil)
    #expect(PeerOwner.ofConnection(from: .loopback(port), to: .loopback(UInt16(server.port))) == nil)
  }

  @Test func `each of hundreds of connections has its owner`() throws {
    let server = try LoopbackListener()
    // These listeners accept no connection, so the connections wait in the backlogs.
    let others = try (0..<40).map { _ in try LoopbackListener() }
    let clients = try others.flatMap { other in
      try (0..<4).map { _ in (try LoopbackConnection(port: other.port), other.port) }
    }
    let last = try LoopbackConnection(port: server.port)
    for (client, port) in clients + [(last, server.port)] {
      #expect(owner(of: client, to: port) == geteuid())
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func `another user is recognized`() throws {
    let server = try LoopbackListener()
    let own = try LoopbackConnection(port: server.port)
    let other = try LoopbackConnection(port: server.port)
    try other.give(to: 65_534)
    #expect(owner(of: other, to: server.port) == 65_534)
    #expect(owner(of: own, to: server.port) == 0)
  }

  /// Measures CPU time instead of elapsed time, which would depend on the load of the machine.
  @Test func `a lookup costs the same with thousands of sockets`() throws {
    let server = try LoopbackListener()
    let client = try LoopbackConnection(port: server.port)
    func cost() -> Double {
      func time() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
      }
      // The minimum of several runs excludes cold caches and interruptions.
      return (0..<5).map { _ in
        let begin = time()
        for _ in 0..<20 { #expect(owner(of: client, to: server.port) == geteuid()) }
        return time() - begin
      }.min() ?? 0
    }
    let before = cost()
    // Closed connections stay in the kernel's table for a minute (TIME_WAIT).
    let others = try ListeningSocket(at: .loopback(0))
    let port = Int(try #require(others.address?.port))
    for _ in 0..<4000 {
      let connection = try LoopbackConnection(port: port)
      let accepted = accept(others.descriptor, nil, nil)
      withExtendedLifetime(connection) {}
      close(accepted)
    }
    #expect(cost() < before * 5)
  }
}
