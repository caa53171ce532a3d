import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// Where connections come in.
struct PageListener: Sendable {
  /// More connections wait until others have gone.
  static let mostConnections = 256
  /// A connection on which nothing comes for so long is closed; an event stream is not one.
  static let patience = Duration.seconds(60)
  /// Browsers send some hundred bytes, and the cookies of all servers on this machine.
  private static let largestField = 16_384
  private static let largestHead = 32_768

  let group: any EventLoopGroup
  let admits: PeerTest
  let patience: Duration
  let respond: @Sendable (Request, consuming ResponseWriter, any Channel) async throws -> Void

  /// Serves until the task is cancelled.
  /// - Throws: What keeps it from listening.
  func run(
    on address: BindAddress, _ whenListening: @escaping @Sendable (any Channel) async -> Void
  ) async throws {
    // Nothing is logged: what goes wrong with one connection is its own end.
    let logger = Logger(label: "org.hrgate.page") { _ in SwiftLogNoOpLogHandler() }
    let http = HTTP1Channel(
      responder: respond,
      configuration: .init(
        idleTimeout: TimeAmount(patience),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: Self.largestField, maxHeaderListSize: Self.largestHead, maxHeaderFieldCount: 100
        )
      ))
    let server = Server(
      childChannelSetup: GuardedChannel(http: http, admits: admits),
      configuration: ServerConfiguration(
        address: address,
        availableConnectionsDelegate: MaximumAvailableConnections(
          Self.mostConnections, logger: logger)),
      onServerRunning: whenListening, eventLoopGroup: group, logger: logger)
    try await server.run()
  }
}
