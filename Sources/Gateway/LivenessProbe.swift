import Synchronization

/// The liveness checks of a gateway: one check for each part that may hang.
final class LivenessProbe: Sendable {
  /// The progress of a liveness check.
  struct Progress: Equatable, Sendable {
    /// The number of parts already checked.
    var done = 0
    /// The part that is being checked.
    var part: GatewayPart
  }

  private struct Step {
    var part: GatewayPart
    var take: @Sendable () async -> Void
  }

  private struct State {
    var steps: [Step] = []
    var progress: Progress?
  }

  private let state = Mutex(State())
  /// Whether the gateway has monitors to follow; `false` until it has read the list of monitors.
  let hasMonitors = Mutex(false)

  /// The progress of the current liveness check; `nil` if no check is running.
  var progress: Progress? { state.withLock(\.progress) }

  func add(_ part: GatewayPart, _ step: @escaping @Sendable () async -> Void) {
    state.withLock { $0.steps.append(Step(part: part, take: step)) }
  }

  func removeAll() { state.withLock { $0.steps.removeAll() } }

  /// Checks all parts, one by one. Does not return if a part hangs.
  ///
  /// - Returns: Whether there were any parts to check.
  func take() async -> Bool {
    let steps = state.withLock(\.steps)
    for (done, step) in steps.enumerated() {
      state.withLock { $0.progress = Progress(done: done, part: step.part) }
      await step.take()
    }
    state.withLock { $0.progress = nil }
    return !steps.isEmpty
  }
}
