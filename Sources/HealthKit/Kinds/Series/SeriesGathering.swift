/// What a series builder gathers until it is finished or given up.
///
/// While it is being finished nothing can be added: what came too late to be saved is refused and not lost.
struct SeriesGathering<Content: Sendable>: Sendable {
  private enum Phase {
    case gathering, finishing, over
  }

  private var phase = Phase.gathering
  private var content: Content

  init(_ content: Content) {
    self.content = content
  }

  /// - Throws: errorInvalidArgument once it is being finished or over, and what the change throws.
  mutating func change(_ body: (inout Content) throws(HKError) -> Void) throws(HKError) {
    try requireGathering()
    try body(&content)
  }

  /// - Returns: what is to be saved; after that it is over, or nothing has come of it.
  mutating func beginFinishing() throws(HKError) -> Content {
    try requireGathering()
    phase = .finishing
    return content
  }

  /// Goes on as before, unless it was given up meanwhile.
  mutating func finishFailed() {
    if phase == .finishing { phase = .gathering }
  }

  mutating func end() {
    phase = .over
  }

  var isOver: Bool { phase == .over }

  private func requireGathering() throws(HKError) {
    guard phase == .gathering else {
      throw HKError(
        .errorInvalidArgument, reason: "the series builder was finished, discarded or refused a value")
    }
  }
}
