import PacketLog
import Synchronization

/// Knowledge that one log passes on to the next.
///
/// A host that reconnects to a bonded peer does not discover its handles again. So a log that starts later
/// can only be decoded with the knowledge from an earlier one. If the next log continues this one, the links
/// are kept too.
public final class ReplayMemory: Sendable {
  struct State: Sendable {
    var observers = Observers()
    var names = AdvertisedNames()
    /// The open links of the previous log, if the next one continues it.
    var links = PeerLinks()
    /// The undecided handles of the previous log, if the next one continues it.
    var handles: MeasurementHandles?
    /// Whether the previous log ended with damage, so that packets may be missing before the next one.
    var wasDamaged = false
  }

  private let state = Mutex(State())

  /// Creates a memory without knowledge of any log.
  public init() {}

  /// Returns the state for the next log. Links are returned only once.
  func recall() -> State {
    state.withLock { state in
      defer { state.forgetLinks() }
      return state
    }
  }

  /// Stores the state after a log.
  /// - Parameter isContinued: Whether the next log continues this one.
  func remember(_ state: State, isContinued: Bool) {
    var state = state
    if !isContinued { state.forgetLinks() }
    self.state.withLock { $0 = state }
  }
}

extension ReplayMemory.State {
  fileprivate mutating func forgetLinks() {
    observers.beginLog()
    links = PeerLinks()
    handles = nil
    wasDamaged = false
  }
}
