import Foundation
import Glibc
import HealthSystem

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
  private let owner: OwnerLookup
  private let user: uid_t
  private let timeout: Duration

  /// - Parameters:
  ///   - client: The address from which a connection comes.
  ///   - server: The address to which it goes.
  /// - Returns: The user of the other end; `nil` if that is not known.
  typealias OwnerLookup = @Sendable (_ client: SocketAddress, _ server: SocketAddress) -> uid_t?

  /// - Parameters:
  ///   - version: The program's, for people.
  ///   - isGateways: A gateway serves it: ``PageControl`` finds it for its store.
  package init(
    _ shelf: StoreShelf, monitors: PageMonitors, radio: PageRadio, version: String, isGateways: Bool
  ) {
    self.init(
      shelf, monitors: monitors, radio: radio, version: version, isGateways: isGateways, now: { .now },
      owner: { PeerOwner.ofConnection(from: $0, to: $1) })
  }

  /// - Parameters:
  ///   - now: Tells how old a code is.
  ///   - date: Tells when a session was used.
  ///   - owner: Whose the other end of a connection is.
  ///   - files: How many are written at a time.
  ///   - user: Who alone comes in.
  ///   - patience: The timeout of a connection, as ``HTTPServer/timeout``.
  init(
    _ shelf: StoreShelf, monitors: PageMonitors, radio: PageRadio? = nil, version: String = "",
    isGateways: Bool = false, rhythm: EventRhythm = EventRhythm(), permits: StreamPermits = StreamPermits(50),
    files: RequestLimit = RequestLimit(8),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    date: @escaping @Sendable () -> Date = { Date() },
    owner: @escaping OwnerLookup = { PeerOwner.ofConnection(from: $0, to: $1) }, user: uid_t = geteuid(),
    patience: Duration = HTTPServer.timeout
  ) {
    codes = OneTimeCodes(now: now)
    sessions = PageSessions(now: date)
    desk = radio.map { RadioDesk($0) }
    (self.owner, self.user, timeout) = (owner, user, patience)
    gatewaysStore = isGateways ? shelf.file : nil
    sessions.whenEnded { permits.end($0) }
    var routes = PageRoutes()
    routes.damagedBlocks = { question in (try? shelf.store(for: question).skippedBlocks.count) ?? 0 }
    routes.addSessions(sessions)
    routes.addWhole(shelf, version: version)
    routes.addStatistics(shelf)
    routes.addSamples(shelf)
    routes.addPermissions(shelf)
    routes.addPreferences(shelf)
    routes.addMonitors(monitors, shelf)
    if let desk { routes.addRadio(desk, shelf) }
    routes.addBeats(shelf)
    routes.addEntry(shelf)
    routes.addDeletion(shelf)
    routes.addExport(shelf, files)
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
  /// - Throws: ``PageFailure`` if it cannot listen.
  package func run(
    port: Port, socketsIn folder: String?, _ opened: @escaping @Sendable (Opening) async throws -> Void
  ) async throws {
    let (socket, number) = try Self.listen(port)
    guard PeerOwner.canAsk(about: .loopback(UInt16(number))) else { throw PageFailure.noPeers }
    var listeners = [loopback(socket, number)]
    // One address is enough if the machine has no IPv6, or another program has the port there.
    if let socket = try? ListeningSocket(at: .loopback6(UInt16(number))) {
      listeners.append(loopback(socket, number))
    }
    var opening = Opening(
      address: address(on: number), port: number,
      isElsewhere: port == .usual && number != Self.usualPort)
    let local: (place: SocketPlace, listener: HTTPServer.Listener)?
    do throws(PageFailure) {
      local = try folder.map { folder throws(PageFailure) in try control(in: folder, number) }
    } catch {
      local = nil
      opening.socketFailure = error.description
    }
    defer { local?.place.remove() }
    if let local {
      listeners.append(local.listener)
      opening.socket = local.place.path
    }
    let server = try HTTPServer(listeners, timeout: timeout)
    try await withThrowingTaskGroup(of: Void.self) { [opening] tasks in
      tasks.addTask { try await server.run() }
      if let desk { tasks.addTask { await desk.run() } }
      try await opened(opening)
      try await tasks.waitForAll()
    }
  }

  private func loopback(_ socket: ListeningSocket, _ port: Int) -> HTTPServer.Listener {
    let (owner, user, server) = (owner, user, socket.address)
    return HTTPServer.Listener(
      socket: socket,
      admits: { _, client in
        guard let client, let server else { return false }
        return owner(client, server) == user
      },
      handler: PageResponder(
        door: Door(port: port), codes: codes, sessions: sessions, routes: routes, limit: limit,
        cookie: "hrgate-page-\(port)"))
  }

  private func control(
    in folder: String, _ port: Int
  ) throws(PageFailure) -> (place: SocketPlace, listener: HTTPServer.Listener) {
    let (place, user) = (try SocketPlace(in: folder, port: port), user)
    let listener = HTTPServer.Listener(
      socket: try ListeningSocket(at: place),
      admits: { connection, _ in PeerOwner.ofLocal(connection) == user },
      handler: ControlResponder(sessions: sessions, gatewaysStore: gatewaysStore) { address(on: port) })
    return (place, listener)
  }

  /// Listens on IPv4.
  /// - Returns: The socket, and its port.
  private static func listen(_ wanted: Port) throws(PageFailure) -> (ListeningSocket, Int) {
    let socket: ListeningSocket
    switch wanted {
    case .exactly(let port): socket = try ListeningSocket(at: .loopback(UInt16(clamping: port)))
    case .usual:
      if let usual = try? ListeningSocket(at: .loopback(UInt16(usualPort))) {
        socket = usual
      } else {
        socket = try ListeningSocket(at: .loopback(0))
      }
    }
    return (socket, Int(socket.address?.port ?? 0))
  }
}
