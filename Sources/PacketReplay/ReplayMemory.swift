import HostStack
import Synchronization

/// What one log taught about peers, kept for the next: a host that reconnects to a bonded peer does not ask again
/// which handle is which, so a log that begins late can only be read with what an earlier one showed.
public final class ReplayMemory: Sendable {
  private let observer = Mutex(HCIObserver())

  public init() {}

  func recall() -> HCIObserver {
    var observer = observer.withLock { $0 }
    observer.beginLog()
    return observer
  }

  func remember(_ newer: HCIObserver) { observer.withLock { $0 = newer } }
}
