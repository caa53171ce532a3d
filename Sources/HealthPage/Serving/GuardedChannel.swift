import Glibc
import HummingbirdCore
import Logging
import NIOCore

/// Connections of HTTP/1.1, of which those of other users are closed before a byte of them is read.
struct GuardedChannel: ServerChildChannel {
  let http: HTTP1Channel
  let admits: PeerTest

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    let admits = admits
    return http.setup(channel: channel, logger: logger).flatMap { value in
      admits(channel).map { isAdmitted in
        if !isAdmitted { channel.close(promise: nil) }
        return value
      }
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}

/// Whether the other end of a connection is this user's.
typealias PeerTest = @Sendable (any Channel) -> EventLoopFuture<Bool>

enum PeerTests {
  /// - Parameter owner: Whose the other end is; `nil` where that is not known.
  static func loopback(
    _ owner: @escaping @Sendable (_ client: SocketAddress, _ server: SocketAddress) -> uid_t?
  ) -> PeerTest {
    { channel in
      guard let client = channel.remoteAddress, let server = channel.localAddress else {
        return channel.eventLoop.makeSucceededFuture(false)
      }
      return channel.eventLoop.makeSucceededFuture(owner(client, server) == geteuid())
    }
  }

  /// `struct ucred`, which Swift does not see.
  private struct Credentials: Sendable {
    var process: pid_t
    var user: uid_t
    var group: gid_t
  }

  /// By what the kernel noted when the other end connected.
  static let socket: PeerTest = { channel in
    guard let provider = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeSucceededFuture(false)
    }
    let credentials: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(
      level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
    return credentials.map { $0.user == geteuid() }.recover { _ in false }
  }
}
