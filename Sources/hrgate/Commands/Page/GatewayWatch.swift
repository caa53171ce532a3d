import DBus
import Glibc

/// Copies the status of a gateway on D-Bus to a ``StatusStore``.
struct GatewayWatch: Sendable {
  /// Time between two searches for a gateway on the buses.
  private static let pause = Duration.seconds(5)

  let statusStore: StatusStore

  /// Copies the status until the task is canceled.
  func run() async {
    while !Task.isCancelled {
      for location in [GatewayBusLocation.session, GatewayBusLocation(systemOf: geteuid())] {
        await follow(location)
      }
      do { try await Task.sleep(for: Self.pause) } catch { return }
    }
  }

  /// Reads the status until the gateway leaves the bus. Returns at once without a gateway, or on a bus error.
  private func follow(_ location: GatewayBusLocation) async {
    guard let reader = try? await GatewayReader(on: location.bus, of: location.name) else { return }
    if (try? await reader.isThere()) == true { try? await reader.follow { statusStore.put($0) } }
    await reader.close()
    if statusStore.status != nil { statusStore.put(nil) }
  }
}
