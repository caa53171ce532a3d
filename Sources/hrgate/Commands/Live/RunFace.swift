import Bluetooth
import DBus
import Foundation
import Gateway
import Glibc

/// Shows a running gateway on the bus.
struct RunFace: Sendable {
  private let face: GatewayFace
  private let states: AsyncStream<GatewayState>

  /// - Parameter which: `session`, `system`, `none`, or `auto`: the user's own bus where there is one.
  /// - Returns: `nil` where it is to be on none.
  init?(of gateway: HouseholdGateway, on which: String, until ending: Ending) {
    guard let place = GatewayPlace(which) else { return nil }
    face = GatewayFace(on: place.bus, as: place.name) {
      UInt64(clamping: SystemClocks.now().wall.microsecondsSince1970)
    }
    states = gateway.states()
    self.ending = ending
  }

  /// Says how long the end of a run waits for a bus to be told of it.
  private let ending: Ending
  /// As often, at most, it is told how the gateway stands: eight monitors at four a second would have the bus
  /// be told more than anybody reads. Where nobody watches, a second is soon enough for whoever asks.
  private static let pause = (watched: Duration.milliseconds(200), unwatched: Duration.seconds(1))

  /// Shows until the run is over. A bus that refuses is none of the gateway's trouble: `hrgate status` says
  /// why nothing is there.
  func run() async {
    let latest = Latest<GatewayState?>(nil)
    let (updates, update) = AsyncStream.makeStream(
      of: GatewayStatus.self, bufferingPolicy: .bufferingNewest(1))
    let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // Whether that was the showing.
    await withTaskGroup(of: Bool.self) { group in
      var isShown = false
      for await state in states {
        latest.value = state
        // A gateway that waits for another leaves the name to that one.
        guard !state.isOnlyWaiting else { continue }
        tick.yield()
        guard !isShown else { continue }
        isShown = true
        group.addTask {
          try? await face.show(updates)
          return true
        }
        group.addTask {
          for await _ in ticks {
            if let state = latest.value { update.yield(GatewayStatus(state)) }
            try? await Task.sleep(for: face.isWatched ? Self.pause.watched : Self.pause.unwatched)
          }
          return false
        }
      }
      tick.finish()
      if let state = latest.value { update.yield(GatewayStatus(state)) }
      update.finish()
      guard isShown else { return }
      group.addTask {
        try? await Task.sleep(for: ending.patience)
        return true
      }
      // Its end is told where it is shown; where it is not, that is over at once.
      while await group.next() == false {}
      group.cancelAll()
    }
  }
}

/// On which bus, and under which name, a gateway stands.
struct GatewayPlace {
  let bus: BusAddress
  let name: String

  /// - Parameters:
  ///   - which: `session`, `system` or `auto`.
  ///   - user: Whose gateway it is.
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

  static let session = GatewayPlace(bus: .session, name: GatewayBusNames.sessionName)

  init(systemOf user: uid_t) {
    self.init(bus: .system, name: GatewayBusNames.systemName(ofUser: user))
  }

  private init(bus: BusAddress, name: String) {
    self.bus = bus
    self.name = name
  }

  /// A service of the machine's has none, even where its owner is logged in.
  private static var hasSession: Bool {
    ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].contains {
      ProcessInfo.processInfo.environment[$0]?.isEmpty == false
    }
  }
}
