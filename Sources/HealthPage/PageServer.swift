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
    /// Whether another program has the usual port. What a browser keeps for the page it keeps for its port.
    package let isElsewhere: Bool
    /// Where it can be asked over a socket.
    package fileprivate(set) var socket: String?
    /// Why it cannot.
    package fileprivate(set) var socketFailure: String?
  }

  /// Where a page listens on loopback.
  package enum Port: Sendable, Hashable {
    /// On the one that is usual, or on any where another program has that.
    case usual
    /// 0 for any.
    case exactly(Int)
  }

  /// That of the Heart Rate Service, 0x180D: none that is assigned to anybody.
  package static let usualPort = 6157

  private let codes: OneTimeCodes
  private let sessions: PageSessions
  private let limit = RequestLimit(64)
  private let routes: PageRoutes
  private let desk: RadioDesk?
  /// That which a gateway shows here; `nil` where no gateway serves the page.
  private let gatewaysStore: String?
  private let owner: PeerOwner
  private let user: uid_t
  private let patience: Duration

  /// - Parameters:
  ///   - client: The address from which a connection comes.
  ///   - server: The address to which it goes.
  /// - Returns: Whose the other end is; `nil` where that is not known.
  typealias PeerOwner = @Sendable (_ client: SocketAddress, _ server: SocketAddress) -> uid_t?

  /// - Parameters:
  ///   - version: The program's, for people.
  ///   - isGateways: A gateway serves it: ``PageControl`` finds it for its store.
  package init(
    _ shelf: StoreShelf, monitors: PageMonitors, radio: PageRadio, version: String, isGateways: Bool
  ) {
    self.init(
      shelf, monitors: monitors, radio: radio, version: version, isGateways: isGateways, now: { .now },
      owner: { LoopbackPeers.owner(of: $0, to: $1) })
  }

  /// - Parameters:
  ///   - now: Tells how old a code is.
  ///   - date: Tells when a session was used.
  ///   - owner: Whose the other end of a connection is.
  ///   - files: How many are written at a time.
  ///   - user: Who alone comes in.
  ///   - patience: A connection on which nothing comes for so long is closed, and so is one that takes
  ///     nothing.
  init(
    _ shelf: StoreShelf, monitors: PageMonitors, radio: PageRadio? = nil, version: String = "",
    isGateways: Bool = false, rhythm: EventRhythm = EventRhythm(), permits: StreamPermits = StreamPermits(50),
    files: RequestLimit = RequestLimit(8),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    date: @escaping @Sendable () -> Date = { Date() },
    owner: @escaping PeerOwner = { LoopbackPeers.owner(of: $0, to: $1) }, user: uid_t = geteuid(),
    patience: Duration = PageListener.patience
  ) {
    codes = OneTimeCodes(now: now)
    sessions = PageSessions(now: date)
    desk = radio.map { RadioDesk($0) }
    (self.owner, self.user, self.patience) = (owner, user, patience)
    gatewaysStore = isGateways ? shelf.file : nil
    sessions.whenEnded { permits.end($0) }
    var routes = PageRoutes()
    routes.addSessions(sessions)
    routes.addWhole(shelf, version: version)
    routes.addStatistics(shelf)
    routes.addSamples(shelf)
    routes.addPermissions(shelf)
    routes.addPreferences(shelf)
    routes.addMonitors(monitors, shelf)
    if let desk { routes.addRadio(desk, shelf) }
    routes.addBeats(shelf)
    routes.addDeletion(shelf)
    routes.addExport(shelf, files, patience: patience)
    routes.addWorn(shelf)
    routes.addSummary(shelf)
    routes.addEvents(monitors, shelf, permits, rhythm, sessions)
    self.routes = routes
  }

  /// By which another browser gets in, once.
  func address(on port: Int) -> String { "http://127.0.0.1:\(port)/open?code=\(codes.issue())" }

  /// Serves until the task is cancelled.
  ///
  /// - Parameters:
  ///   - port: Of loopback.
  ///   - folder: Where the socket is put; `nil` for none.
  ///   - opened: Called when it listens.
  /// - Throws: ``PageFailure`` where it cannot listen.
  package func run(
    port: Port, socketsIn folder: String?, _ opened: @escaping @Sendable (Opening) async throws -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let threads = PageThreads(Self.answering)
    let served: Result<Void, any Error>
    do {
      served = .success(
        try await withTaskExecutorPreference(threads) {
          try await serve(port, folder, group, threads.pool, opened)
        })
    } catch {
      served = .failure(error)
    }
    try await group.shutdownGracefully()
    try await threads.pool.shutdownGracefully()
    try served.get()
  }

  /// So many threads answer, beside the one that reads and writes.
  private static let answering = 2

  private func serve(
    _ wanted: Port, _ folder: String?, _ loops: any EventLoopGroup, _ pool: NIOThreadPool,
    _ opened: @escaping @Sendable (Opening) async throws -> Void
  ) async throws {
    let loopback = listener(on: loops, pool)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      guard let (port, isElsewhere) = try await Self.listen(loopback, wanted, in: &tasks) else { return }
      // Where the machine has no IPv6, or the port is somebody else's there, one address is enough.
      _ = try? await Self.listen(loopback, on: "::1", port, in: &tasks)
      var opening = Opening(address: address(on: port), port: port, isElsewhere: isElsewhere)
      do {
        opening.socket = try await openSocket(in: folder, port, loops, &tasks)
      } catch let failure as PageFailure {
        opening.socketFailure = failure.description
      }
      if let desk { tasks.addTask { await desk.run() } }
      try await opened(opening)
      try await tasks.waitForAll()
    }
  }

  private func listener(on loops: any EventLoopGroup, _ pool: NIOThreadPool) -> PageListener {
    let (routes, codes, sessions, limit) = (routes, codes, sessions, limit)
    let admits = PeerTests.loopback(owner, of: user, on: pool)
    return PageListener(group: loops, admits: admits, patience: patience) { request, writer, channel in
      let port = channel.localAddress?.port ?? 0
      let responder = PageResponder(
        door: Door(port: port), codes: codes, sessions: sessions, routes: routes, limit: limit,
        cookie: "hrgate-page-\(port)")
      try await responder.respond(to: request, writer, on: Wire(channel))
    }
  }

  /// - Returns: Where the socket is; `nil` where there is to be none.
  private func openSocket(
    in folder: String?, _ port: Int, _ loops: any EventLoopGroup,
    _ tasks: inout ThrowingTaskGroup<Void, any Error>
  ) async throws -> String? {
    guard let folder else { return nil }
    let place = try SocketPlace(in: folder, port: port)
    let control = ControlResponder(sessions: sessions, gatewaysStore: gatewaysStore) {
      address(on: port)
    }
    let admits = PeerTests.socket(of: user)
    let listener = PageListener(group: loops, admits: admits, patience: patience) { request, writer, _ in
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

  /// - Returns: The port, and whether it is another than the usual one; `nil` where the task was cancelled
  ///   first.
  private static func listen(
    _ listener: PageListener, _ wanted: Port, in tasks: inout ThrowingTaskGroup<Void, any Error>
  ) async throws -> (port: Int, isElsewhere: Bool)? {
    let host = "127.0.0.1"
    switch wanted {
    case .exactly(let port):
      return try await listen(listener, on: host, port, in: &tasks).map { ($0, false) }
    case .usual:
      do {
        return try await listen(listener, on: host, usualPort, in: &tasks).map { ($0, false) }
      } catch is PageFailure {
        return try await listen(listener, on: host, 0, in: &tasks).map { ($0, true) }
      }
    }
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
