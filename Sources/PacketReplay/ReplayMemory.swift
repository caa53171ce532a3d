import PacketLog
import Synchronization

/// What one log taught, kept for the next: a host that reconnects to a bonded peer does not ask again which
/// handle is which, so a log that begins late can only be read with what an earlier one showed. Of a log that
/// the next one continues, the links are kept too.
public final class ReplayMemory: Sendable {
  struct State: Sendable {
    var observers = Observers()
    var names = AdvertisedNames()
    /// The open links of the log before, if the next one goes on with them.
    var links = PeerLinks()
    /// What the log before was finding out, where the next one goes on with its links.
    var handles: MeasurementHandles?
    /// The log before broke off, so something may be missing where the next one goes on.
    var wasDamaged = false
  }

  private let state = Mutex(State())

  public init() {}

  /// What the next log begins with. Handed over once: a caller that does not keep the links has lost them.
  func recall() -> State {
    state.withLock { state in
      defer { state.forgetLinks() }
      return state
    }
  }

  /// - Parameter isContinued: The next log goes on where this one ended.
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
