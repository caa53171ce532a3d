import DBus
import Glibc

/// Puts on a board what a gateway tells on a bus.
struct GatewayWatch: Sendable {
  /// Where no gateway is on a bus, it is looked for again after so long.
  private static let pause = Duration.seconds(5)

  let board: StatusBoard

  /// Listens until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      for place in [GatewayPlace.session, GatewayPlace(systemOf: geteuid())] { await follow(place) }
      do { try await Task.sleep(for: Self.pause) } catch { return }
    }
  }

  /// Until the gateway goes; at once where none is there. A bus that refuses has none for us.
  private func follow(_ place: GatewayPlace) async {
    guard let reader = try? await GatewayReader(on: place.bus, of: place.name) else { return }
    if (try? await reader.isThere()) == true { try? await reader.follow { board.put($0) } }
    await reader.close()
    if board.status != nil { board.put(nil) }
  }
}
