import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// Connections of HTTP/1.1, of which those of other users are closed before a byte of them is read.
struct GuardedChannel: ServerChildChannel {
  let http: HTTP1Channel
  let admits: PeerTest

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    let (http, admits) = (http, admits)
    return channel.pipeline.addHandler(Departure()).flatMap {
      http.setup(channel: channel, logger: logger)
    }.flatMap { value in
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
  /// - Parameters:
  ///   - owner: Whose the other end is; `nil` where that is not known.
  ///   - pool: Asks it: it reads a file, for which other connections need not wait.
  static func loopback(
    _ owner: @escaping @Sendable (_ client: SocketAddress, _ server: SocketAddress) -> uid_t?,
    of user: uid_t, on pool: NIOThreadPool
  ) -> PeerTest {
    { channel in
      guard let client = channel.remoteAddress, let server = channel.localAddress else {
        return channel.eventLoop.makeSucceededFuture(false)
      }
      return pool.runIfActive(eventLoop: channel.eventLoop) { owner(client, server) == user }
        .recover { _ in false }
    }
  }

  /// `struct ucred`, which Swift does not see.
  private struct Credentials: Sendable {
    var process: pid_t
    var user: uid_t
    var group: gid_t
  }

  /// By what the kernel noted when the other end connected.
  static func socket(of user: uid_t) -> PeerTest {
    { channel in
      guard let provider = channel as? any SocketOptionProvider else {
        return channel.eventLoop.makeSucceededFuture(false)
      }
      let credentials: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(
        level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
      return credentials.map { $0.user == user }.recover { _ in false }
    }
  }
}
