import DBus
import GatewayBus
import Glibc
import Synchronization

/// Keeps what a gateway tells on a bus, for whoever asks: however many look at the page, the gateway has one
/// listener.
final class GatewayWatch: Sendable {
  /// Where no gateway is on a bus, it is looked for again after so long.
  private static let pause = Duration.seconds(5)

  private struct State {
    var status: GatewayStatus?
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// What it said last; `nil` where none is there.
  var status: GatewayStatus? { state.withLock { $0.status } }

  /// Ticks when it says something new; for one listener.
  func changes() -> AsyncStream<Void> {
    let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = tick
      return state.next
    }
    tick.onTermination = { [self] _ in state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
    return ticks
  }

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
    if (try? await reader.isThere()) == true { try? await reader.follow { take($0) } }
    await reader.close()
    if status != nil { take(nil) }
  }

  private func take(_ status: GatewayStatus?) {
    let listeners = state.withLock { state in
      state.status = status
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield() }
  }
}
