import Synchronization

/// What takes a turn when a running gateway is asked to: each of its parts that could hang.
final class GatewayTurns: Sendable {
  /// Where a turn is.
  struct Place: Equatable, Sendable {
    /// How many steps of the turn are done.
    var done = 0
    /// Whose step it is.
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
  /// Whether there are monitors whose measurements depend on it.
  let hasMonitors = Mutex(false)

  /// Where the turn is that is under way; `nil` where none is.
  var place: Place? { state.withLock(\.place) }

  func add(_ part: GatewayPart, _ step: @escaping @Sendable () async -> Void) {
    state.withLock { $0.steps.append(Step(part: part, take: step)) }
  }

  func removeAll() { state.withLock { $0.steps.removeAll() } }

  /// One step after the other.
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
