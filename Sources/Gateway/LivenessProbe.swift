import Synchronization

/// The liveness checks of a running gateway: one step for each part that could hang.
final class LivenessProbe: Sendable {
  /// The progress of a check.
  struct Place: Equatable, Sendable {
    /// The number of completed steps.
    var done = 0
    /// The part whose step is running.
    var part: GatewayPart
  }

  private struct Step {
    var part: GatewayPart
    var take: @Sendable () async -> Void
  }

  private struct State {
    var steps: [Step] = []
    var place: Place?
  }

  private let state = Mutex(State())
  /// Whether monitors depend on this gateway.
  let hasMonitors = Mutex(false)

  /// The progress of the check that is running; `nil` if there is none.
  var place: Place? { state.withLock(\.place) }

  func add(_ part: GatewayPart, _ step: @escaping @Sendable () async -> Void) {
    state.withLock { $0.steps.append(Step(part: part, take: step)) }
  }

  func removeAll() { state.withLock { $0.steps.removeAll() } }

  /// Runs all steps, one after the other.
  /// - Returns: Whether there were any.
  func take() async -> Bool {
    let steps = state.withLock(\.steps)
    for (done, step) in steps.enumerated() {
      state.withLock { $0.place = Place(done: done, part: step.part) }
      await step.take()
    }
    state.withLock { $0.place = nil }
    return !steps.isEmpty
  }
}
