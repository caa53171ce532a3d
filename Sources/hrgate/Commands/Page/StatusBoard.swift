import Synchronization

/// What a gateway said last, for whoever asks: however many look at the page, the gateway has one listener.
final class StatusBoard: Sendable {
  private struct State {
    var status: GatewayStatus?
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// `nil` where no gateway is there.
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

  func put(_ status: GatewayStatus?) {
    let listeners = state.withLock { state in
      state.status = status
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield() }
  }
}
