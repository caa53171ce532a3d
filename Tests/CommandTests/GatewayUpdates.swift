@testable import Gateway

extension AsyncStream<TimedGatewayEvent> {
  /// The updates of a gateway that sends the given events.
  func updates(of main: String? = nil) -> AsyncStream<GatewayUpdate> {
    let events = self
    return AsyncStream<GatewayUpdate> { continuation in
      let task = Task {
        var state = GatewayState(of: main)
        for await event in events {
          state.update(with: event)
          continuation.yield(GatewayUpdate(event: event, state: state))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  func states(of main: String? = nil) -> AsyncStream<GatewayState> {
    let updates = updates(of: main)
    return AsyncStream<GatewayState>(unfolding: {
      for await update in updates { return update.state }
      return nil
    })
  }
}
