import Dispatch
import Glibc
import Synchronization

/// A handler that does nothing. Not SIG_IGN: programs that this one starts would inherit that.
func ignoreSignal(_ number: Int32) {}

/// The user's wish to end early (Ctrl-C, or a polite kill): work in hand is finished and committed first.
/// A second one ends the process at once, by the signal's own means.
final class Interruption: Sendable {
  private let state = Mutex((hasHappened: false, action: nil as (@Sendable () -> Void)?))
  private let queue = DispatchQueue(label: "org.hrgate.interruption")

  init() {
    for number in [SIGINT, SIGTERM] { listen(for: number) }
  }

  var hasHappened: Bool { state.withLock { $0.hasHappened } }

  /// Sets what ends the work in hand; it runs at once if the wish was uttered already.
  func onHappening(_ action: @escaping @Sendable () -> Void) {
    let runNow = state.withLock { state in
      state.action = action
      return state.hasHappened
    }
    if runNow { action() }
  }

  /// Listens until the signal comes, or the process ends: the source's own handler keeps it.
  private func listen(for number: Int32) {
    signal(number, ignoreSignal)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { [self] in
      signal(number, SIG_DFL)
      happen()
      source.cancel()
    }
    source.resume()
  }

  private func happen() {
    let action = state.withLock { state in
      state.hasHappened = true
      return state.action
    }
    action?()
  }
}
