import HostStack
import Synchronization

/// What one log taught about peers, kept for the next: a host that reconnects to a bonded peer does not ask again
/// which handle is which, so a log that begins late can only be read with what an earlier one showed.
public final class ReplayMemory: Sendable {
  private let observers = Mutex(Observers())

  public init() {}

  func recall() -> Observers {
    var observers = observers.withLock { $0 }
    observers.beginLog()
    return observers
  }

  func remember(_ newer: Observers) { observers.withLock { $0 = newer } }
}
