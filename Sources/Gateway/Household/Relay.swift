/// Forwards the events of a gateway, and holds back its last event until ``finish()``.
struct Relay {
  private let passing: Task<TimedGatewayEvent?, Never>
  private let broadcast: EventBroadcast

  init(
    _ events: AsyncStream<TimedGatewayEvent>, to broadcast: EventBroadcast,
    noticing notice: @escaping @Sendable (GatewayEvent) -> Void = { _ in }
  ) {
    self.broadcast = broadcast
    passing = Task {
      var last: TimedGatewayEvent?
      for await event in events {
        notice(event.event)
        if case .ended = event.event { last = event } else { broadcast.relay(event) }
      }
      return last
    }
  }

  func finish() async {
    if let last = await passing.value { broadcast.relay(last) }
  }
}
