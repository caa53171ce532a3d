import Foundation
import Glibc
import HummingbirdCore
import NIOCore
import NIOPosix

/// The page on which people see what a store holds, served on this machine alone.
///
/// The doors: loopback, with a one-time code that becomes a session; and a socket of the owner's, over which
/// the sessions are listed and ended. No other user of the machine comes in, whatever they know.
package struct PageServer: Sendable {
  /// The page listens.
  package struct Opening: Sendable {
    /// With a code that opens once, within a minute.
    package let address: String
    package let port: Int
    /// Where it can be asked over a socket.
    package fileprivate(set) var socket: String?
    /// Why it cannot.
    package fileprivate(set) var socketFailure: String?
  }

  private let codes: OneTimeCodes
  private let sessions: PageSessions
  private let limit = RequestLimit(64)
  private let routes: PageRoutes
  private let owner: PeerOwner

  /// - Parameters:
  ///   - client: The address from which a connection comes.
  ///   - server: The address to which it goes.
  /// - Returns: Whose the other end is; `nil` where that is not known.
  typealias PeerOwner = @Sendable (_ client: SocketAddress, _ server: SocketAddress) -> uid_t?

  /// - Parameter version: The program's, for people.
  package init(_ shelf: StoreShelf, monitors: PageMonitors, version: String) {
    self.init(
      shelf, monitors: monitors, version: version, now: { .now },
      owner: { LoopbackPeers.owner(of: $0, to: $1) })
  }

  /// - Parameters:
  ///   - now: Tells how old a code is.
  ///   - owner: Whose the other end of a connection is.
  init(
    _ shelf: StoreShelf, monitors: PageMonitors, version: String = "", rhythm: EventRhythm = EventRhythm(),
    permits: StreamPermits = StreamPermits(50),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    owner: @escaping PeerOwner = { LoopbackPeers.owner(of: $0, to: $1) }
  ) {
    codes = OneTimeCodes(now: now)
    sessions = PageSessions { Date() }
    self.owner = owner
    sessions.whenEnded { permits.end($0) }
    var routes = PageRoutes()
    routes.addSessions(sessions)
    routes.addWhole(shelf, version: version)
    routes.addStatistics(shelf)
    routes.addSamples(shelf)
    routes.addPermissions(shelf)
    routes.addPreferences(shelf)
    routes.addMonitors(monitors, shelf)
    routes.addBeats(shelf)
    routes.addDeletion(shelf)
    routes.addExport(shelf)
    routes.addWorn(shelf)
    routes.addSummary(shelf)
    routes.addEvents(monitors, shelf, permits, rhythm)
    self.routes = routes
  }

  /// By which another browser gets in, once.
  func address(on port: Int) -> String { "http://127.0.0.1:\(port)/open?code=\(codes.issue())" }

  /// Serves until the task is cancelled.
  ///
  /// - Parameters:
  ///   - port: Of loopback; 0 for any that is free.
  ///   - folder: Where the socket is put; `nil` for none.
  ///   - opened: Called when it listens.
  /// - Throws: ``PageFailure`` where it cannot listen.
  package func run(
    port: Int, socketsIn folder: String?, _ opened: @escaping @Sendable (Opening) async throws -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      try await serve(port, folder, group, opened)
      try await group.shutdownGracefully()
    } catch {
      try await group.shutdownGracefully()
      throw error
    }
  }

  private func serve(
    _ port: Int, _ folder: String?, _ loops: any EventLoopGroup,
    _ opened: @escaping @Sendable (Opening) async throws -> Void
  ) async throws {
    let loopback = listener(on: loops)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      guard let port = try await Self.listen(loopback, on: "127.0.0.1", port, in: &tasks) else { return }
      // Where the machine has no IPv6, or the port is somebody else's there, one address is enough.
      _ = try? await Self.listen(loopback, on: "::1", port, in: &tasks)
      var opening = Opening(address: address(on: port), port: port)
      do {
        opening.socket = try await openSocket(in: folder, port, loops, &tasks)
      } catch let failure as PageFailure {
        opening.socketFailure = failure.description
      }
      try await opened(opening)
      try await tasks.waitForAll()
    }
  }

  private func listener(on loops: any EventLoopGroup) -> PageListener {
    let (routes, codes, sessions, limit) = (routes, codes, sessions, limit)
    return PageListener(group: loops, admits: PeerTests.loopback(owner)) { request, writer, channel in
      let port = channel.localAddress?.port ?? 0
      let responder = PageResponder(
        door: Door(port: port), codes: codes, sessions: sessions, routes: routes, limit: limit,
        cookie: "hrgate-page-\(port)")
      try await responder.respond(to: request, writer) { channel.close(promise: nil) }
    }
  }

  /// - Returns: Where the socket is; `nil` where there is to be none.
  private func openSocket(
    in folder: String?, _ port: Int, _ loops: any EventLoopGroup,
    _ tasks: inout ThrowingTaskGroup<Void, any Error>
  ) async throws -> String? {
    guard let folder else { return nil }
    let place = try SocketPlace(in: folder, port: port)
    let control = ControlResponder(sessions: sessions)
    let listener = PageListener(group: loops, admits: PeerTests.socket) { request, writer, _ in
      try await control.respond(to: request, writer)
    }
    let (listening, told) = AsyncStream.makeStream(of: Void.self)
    tasks.addTask {
      defer { told.finish() }
      // Without it the page serves all the same.
      try? await listener.run(on: .unixDomainSocket(path: place.path)) { _ in told.yield() }
      place.remove()
    }
    guard await listening.first(where: { _ in true }) != nil else {
      throw PageFailure("the socket \(place.path) cannot be made")
    }
    try place.restrict()
    return place.path
  }

  /// - Returns: The port; `nil` where the task was cancelled first.
  private static func listen(
    _ listener: PageListener, on host: String, _ port: Int,
    in tasks: inout ThrowingTaskGroup<Void, any Error>
  ) async throws -> Int? {
    let (outcomes, outcome) = AsyncStream.makeStream(of: Result<Int, any Error>.self)
    tasks.addTask {
      defer { outcome.finish() }
      do {
        try await listener.run(on: .hostname(host, port: port)) {
          outcome.yield(.success($0.localAddress?.port ?? port))
        }
      } catch {
        outcome.yield(.failure(error))
      }
    }
    return try await outcomes.first { _ in true }.map { result in
      do {
        return try result.get()
      } catch let error as IOError {
        throw PageFailure(port: port, errno: error.errnoCode)
      }
    }
  }
}
