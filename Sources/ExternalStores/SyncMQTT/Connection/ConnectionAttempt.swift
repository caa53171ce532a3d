/// How far it is to a broker that lets this client in.
struct ConnectionAttempt {
  enum Stage {
    /// No address has answered.
    case connecting
    /// One has, and the broker has not said whether it lets this client in.
    case greeting
    case accepted
  }

  var stage = Stage.connecting
  /// When the stage has lasted too long.
  var deadline: ContinuousClock.Instant
  /// What follows if this way is none.
  var others: Others?

  /// The ways by families of addresses that the system does not prefer.
  struct Others {
    /// Where this end is to be, which says by which family to go.
    var left: ArraySlice<String>
    /// Of `errno`: why the way that the system prefers is none.
    let obstacle: Int32
  }

  func isLate(at now: ContinuousClock.Instant) -> Bool { stage != .accepted && now >= deadline }
}
