import Foundation
import Glibc
import HealthSystem

/// The HTTP server for the page that shows the contents of a store, on this machine only.
///
/// It listens on loopback for browsers, which open a session with a one-time code. It also listens on a Unix
/// domain socket, through which commands of the same user list and end sessions. No other user of the machine
/// has access, even with a valid code or cookie.
package struct PageServer: Sendable {
  /// What the server reports once it is listening.
  package struct Opening: Sendable {
    /// The URL of the page, with a one-time code that is valid for a minute.
    package let address: String
    package let port: Int
    /// Whether another program uses the default port, so that the server uses a different one. A browser
    /// stores the page's settings separately for each port.
    package let isElsewhere: Bool
    /// The path of the Unix domain socket; `nil` without a socket.
    package fileprivate(set) var socket: String?
    /// The reason why there is no Unix domain socket.
    package fileprivate(set) var socketFailure: String?
  }

  /// The port on loopback to use.
  package enum Port: Sendable, Hashable {
    /// The default port, or any free port if another program uses it.
    case usual
    /// This port only; 0 for any free port.
    case exactly(Int)
  }

  /// The default port: 0x180D, the number of the Heart Rate Service. IANA has not assigned this port.
  package static let usualPort = 6157

  private let codes: OneTimeCodes
  private let sessions: PageSessions
  private let limit = RequestLimit(64)
  private let routes: PageRoutes
  private let radioQueue: RadioQueue?
  private let importQueue = ImportQueue()
  /// The path of the store if a gateway serves this page, otherwise `nil`.
  private let gatewaysStore: String?
  private let owner: OwnerLookup
  private let user: uid_t
  private let timeout: Duration

  /// Looks up the user at the other end of a connection.
  /// - Parameters:
  ///   - client: The client's address and port.
  ///   - server: The server's address and port.
  /// - Returns: The user; `nil` if unknown.
  typealias OwnerLookup = @Sendable (_ client: SocketAddress, _ server: SocketAddress) -> uid_t?

  /// Creates a server.
  /// - Parameters:
  ///   - version: The version of the program, which the page shows.
  ///   - isGateways: Whether a gateway serves the page. ``PageControl`` can then find it by the path of its
  ///     store.
  ///   - afterUnlock: Called with the path of a store that was unlocked on the page.
  package init(
    _ stores: StoreCache, monitors: PageMonitors, radio: PageRadio, version: String,
    isGateways: Bool, afterUnlock: @escaping @Sendable (String) async throws -> Void
  ) {
    self.init(
      stores, monitors: monitors, radio: radio, version: version, isGateways: isGateways,
      afterUnlock: afterUnlock, now: { .now },
      owner: { PeerOwner.ofConnection(from: $0, to: $1) })
  }

  /// Creates a server with replaceable parts, for tests.
  /// - Parameters:
  ///   - now: The clock for the age of codes.
  ///   - date: The clock for the last use of sessions.
  ///   - owner: Looks up the user at the other end of a connection.
  ///   - files: Limits the number of simultaneous downloads.
  ///   - user: The only user who has access.
  ///   - timeout: The timeout of a connection, as ``HTTPServer/timeout``.
  init(
    _ stores: StoreCache, monitors: PageMonitors, radio: PageRadio? = nil, version: String = "",
    isGateways: Bool = false, rhythm: EventRhythm = EventRhythm(),
    streamLimit: StreamLimit = StreamLimit(50),
    files: RequestLimit = RequestLimit(8),
    afterUnlock: @escaping @Sendable (String) async throws -> Void = { _ in },
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    date: @escaping @Sendable () -> Date = { Date() },
    owner: @escaping OwnerLookup = { PeerOwner.ofConnection(from: $0, to: $1) },
    user: uid_t = geteuid(),
    timeout: Duration = HTTPServer.timeout
  ) {
    codes = OneTimeCodes(now: now)
    sessions = PageSessions(now: date)
    radioQueue = radio.map { RadioQueue($0) }
    (self.owner, self.user, self.timeout) = (owner, user, timeout)
    gatewaysStore = isGateways ? stores.file : nil
    sessions.whenEnded { streamLimit.end($0) }
    var routes = PageRoutes()
    routes.damagedBlocks = { request in (try? stores.store(for: request).skippedBlocks.count) ?? 0
    }
    routes.storeProblem = { stores.fileProblem(for: $0) }
    routes.addSessions(sessions)
    routes.addLock(stores, afterUnlock)
    routes.addWhole(stores, monitors, version: version)
    routes.addStatistics(stores)
    routes.addSamples(stores)
    routes.addPermissions(stores)
    routes.addPreferences(stores)
    routes.addMonitors(monitors, stores)
    if let radioQueue { routes.addRadio(radioQueue, stores) }
    routes.addBeats(stores)
    routes.addEntry(stores)
    routes.addDeletion(stores)
    routes.addExport(stores, files)
    routes.addTransfer(stores, importQueue, files)
    routes.addWorn(stores)
    routes.addSession(stores)
    routes.addNights(stores)
    routes.addExtremes(stores)
    routes.addPressures(stores)
    routes.addCategories(stores)
    routes.addExplanations(stores)
    routes.addSummary(stores)
    routes.addEvents(monitors, stores, streamLimit, rhythm, sessions)
    self.routes = routes
  }

  /// Returns the page's URL with a new one-time code.
  func address(on port: Int) -> String { "http://127.0.0.1:\(port)/open?code=\(codes.issue())" }

  /// Serves until the task is canceled.
  ///
  /// - Parameters:
  ///   - port: The port on loopback.
  ///   - folder: The directory of the socket; `nil` for no socket.
  ///   - opened: Called once the server is listening.
  /// - Throws: ``PageServerError`` if it cannot listen.
  package func run(
    port: Port, socketsIn folder: String?,
    _ opened: @escaping @Sendable (Opening) async throws -> Void
  ) async throws {
    let (socket, number) = try Self.listen(port)
    guard PeerOwner.canAsk(about: .loopback(UInt16(number))) else { throw PageServerError.noPeers }
    var listeners = [loopback(socket, number)]
    // Do without IPv6 if the machine has none, or if another program uses the port there.
    if let socket = try? ListeningSocket(at: .loopback6(UInt16(number))) {
      listeners.append(loopback(socket, number))
    }
    var opening = Opening(
      address: address(on: number), port: number,
      isElsewhere: port == .usual && number != Self.usualPort)
    let local: (place: SocketPath, listener: HTTPServer.Listener)?
    do throws(PageServerError) {
      local = try folder.map { folder throws(PageServerError) in try control(in: folder, number) }
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
      if let radioQueue { tasks.addTask { await radioQueue.run() } }
      tasks.addTask { await importQueue.run() }
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
        originPolicy: OriginPolicy(port: port), codes: codes, sessions: sessions, routes: routes,
        limit: limit,
        cookie: "hrgate-page-\(port)"))
  }

  private func control(
    in folder: String, _ port: Int
  ) throws(PageServerError) -> (place: SocketPath, listener: HTTPServer.Listener) {
    let (place, user) = (try SocketPath(in: folder, port: port), user)
    let listener = HTTPServer.Listener(
      socket: try ListeningSocket(at: place),
      admits: { connection, _ in PeerOwner.ofLocal(connection) == user },
      handler: ControlResponder(sessions: sessions, gatewaysStore: gatewaysStore) {
        address(on: port)
      })
    return (place, listener)
  }

  /// Opens the IPv4 socket.
  /// - Returns: The socket and its port.
  private static func listen(_ wanted: Port) throws(PageServerError) -> (ListeningSocket, Int) {
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
