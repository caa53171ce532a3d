import Bluetooth
import DBus
import Foundation
import Gateway
import Glibc

/// Publishes a running gateway on D-Bus.
struct GatewayPublisher: Sendable {
  private let service: GatewayBusService
  private let states: AsyncStream<GatewayState>

  /// - Parameter which: `session`, `system`, `none`, or `auto`: the session bus if there is one.
  /// - Returns: `nil` for `none`.
  init?(of gateway: MultiUserGateway, on which: String, until ending: Ending) {
    guard let location = GatewayBusLocation(which) else { return nil }
    service = GatewayBusService(on: location.bus, as: location.name) {
      UInt64(clamping: SystemClocks.now().wall.microsecondsSince1970)
    }
    states = gateway.states()
    self.ending = ending
  }

  /// Limits how long the end of a run waits for the bus.
  private let ending: Ending
  /// Minimum time between two updates on D-Bus, because eight monitors with four notifications a second each
  /// would flood the bus. Without subscribers, updates are rarer: the values are only read on request.
  private static let pause = (watched: Duration.milliseconds(200), unwatched: Duration.seconds(1))

  /// Publishes the gateway until the run ends. Bus errors do not affect the gateway; `hrgate status` reports
  /// them.
  func run() async {
    let latest = Latest<GatewayState?>(nil)
    let (updates, update) = AsyncStream.makeStream(
      of: GatewayStatus.self, bufferingPolicy: .bufferingNewest(1))
    let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // The tasks that publish, and the timeout, return true. Either of them ends the wait below.
    await withTaskGroup(of: Bool.self) { group in
      var isShown = false
      for await state in states {
        latest.value = state
        // While this gateway waits for another one, the other one owns the bus name.
        guard !state.isOnlyWaiting else { continue }
        tick.yield()
        guard !isShown else { continue }
        isShown = true
        group.addTask {
          try? await service.show(updates)
          return true
        }
        group.addTask {
          for await _ in ticks {
            if let state = latest.value { update.yield(GatewayStatus(state)) }
            try? await Task.sleep(for: service.isWatched ? Self.pause.watched : Self.pause.unwatched)
          }
          return false
        }
      }
      tick.finish()
      if let state = latest.value { update.yield(GatewayStatus(state)) }
      update.finish()
      guard isShown else { return }
      group.addTask {
        try? await Task.sleep(for: ending.timeout)
        return true
      }
      // Wait until the final state is published, publishing has failed, or the timeout has passed.
      while await group.next() == false {}
      group.cancelAll()
    }
  }
}

/// The bus and the bus name of a gateway.
struct GatewayBusLocation {
  let bus: BusAddress
  let name: String

  /// - Parameters:
  ///   - which: `session`, `system` or `auto`.
  ///   - user: The user who runs the gateway.
  /// - Returns: `nil` for `none`.
  init?(_ which: String, user: uid_t = geteuid()) {
    switch which {
    case "session": self = .session
    case "system": self.init(systemOf: user)
    case "auto":
      if user == geteuid(), Self.hasSession { self = .session } else { self.init(systemOf: user) }
    default: return nil
    }
  }

  static let session = GatewayBusLocation(bus: .session, name: GatewayBusNames.sessionName)

  init(systemOf user: uid_t) {
    self.init(bus: .system, name: GatewayBusNames.systemName(ofUser: user))
  }

  private init(bus: BusAddress, name: String) {
    self.bus = bus
    self.name = name
  }

  /// Whether the environment names a session bus. A system service has none, even if its user is logged in.
  private static var hasSession: Bool {
    ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].contains {
      ProcessInfo.processInfo.environment[$0]?.isEmpty == false
    }
  }
}
