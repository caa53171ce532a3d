import HostStack
import Synchronization

/// What one log taught about peers, kept for the next: a host that reconnects to a bonded peer does not ask
/// again which handle is which, so a log that begins late can only be read with what an earlier one showed.
public final class ReplayMemory: Sendable {
  private let known = Mutex((observers: Observers(), names: AdvertisedNames()))

  public init() {}

  func recall() -> (observers: Observers, names: AdvertisedNames) {
    var known = known.withLock { $0 }
    known.observers.beginLog()
    return known
  }

  func remember(_ observers: Observers, _ names: AdvertisedNames) {
    known.withLock { $0 = (observers, names) }
  }
}
