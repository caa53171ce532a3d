import PacketLog
import Synchronization

/// Knowledge about peers that a log passes on to the next.
///
/// A host that reconnects to a bonded peer does not discover its handles again. So a log that starts later
/// can be decoded only with the handles from an earlier one. If the next log continues this one, the open
/// links are kept too.
public final class ReplayMemory: Sendable {
  struct State: Sendable {
    var observers = Observers()
    var names = AdvertisedNames()
    /// The links that were open at the end of the previous log, if the next log continues it.
    var links = PeerLinks()
    /// The handles whose characteristic is still unknown, if the next log continues the previous one.
    var handles: MeasurementHandles?
    /// Whether the previous log was damaged at its end, so that packets may be missing before the next log.
    var wasDamaged = false
  }

  private let state = Mutex(State())

  /// Creates an empty memory.
  public init() {}

  /// Returns the state for the next log. Open links are returned only once.
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
