// `DispatchSource`s can be used from any thread, but are not declared as Sendable.
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Watches the write-ahead log of a database for writes of other processes.
///
/// inotify reports a write to the log, but the commit becomes visible only after SQLite has synced the log.
/// On a busy disk, this may take many seconds. So after each write, the subscriber is called repeatedly for
/// nearly three minutes, at increasing intervals. It notices a commit within twice the time that the commit
/// took, plus a second for ``CommitPriority/low``. The start of the watch counts as a write, because a commit
/// may be in progress then. If the kernel's limit of watches is reached, the subscriber is called at regular
/// intervals instead.
final class WriteAheadLogWatch: Sendable {
  /// The interval of the calls without inotify.
  private static let period = DispatchTimeInterval.milliseconds(500)

  private struct State {
    var echoes: WriteEchoes
    var reader: (any DispatchSourceRead)?
  }

  private let queue = DispatchQueue(label: "HealthStorage.WriteAheadLogWatch")
  private let timer: any DispatchSourceTimer
  private let state: Mutex<State>
  private let tick: @Sendable () -> Void

  /// - Parameters:
  ///   - asksTheKernel: Whether to use inotify. If `false`, `tick` is called at regular intervals.
  ///   - mayBeLate: Whether a commit may be in progress already. If `false`, `tick` is first called after a
  ///     write.
  init(
    ofDatabaseAt path: String, _ priority: CommitPriority = .prompt, asksTheKernel: Bool = true,
    mayBeLate: Bool = true, tick: @escaping @Sendable () -> Void
  ) {
    self.tick = tick
    state = Mutex(State(echoes: WriteEchoes(priority)))
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.timeHasCome() }
    if asksTheKernel, let directory = DirectoryEvents(ofDirectoryHolding: path) {
      let log = (path as NSString).lastPathComponent + "-wal"
      let reader = DispatchSource.makeReadSource(fileDescriptor: directory.descriptor, queue: queue)
      reader.setEventHandler { [weak self] in
        if directory.read(touch: log) { self?.logWasWritten() }
      }
      reader.setCancelHandler { directory.close() }
      state.withLock { $0.reader = reader }
      reader.resume()
      if mayBeLate { logWasWritten() }
    } else {
      timer.schedule(deadline: .now() + Self.period, repeating: Self.period)
    }
    timer.resume()
  }

  deinit { cancel() }

  /// Stops the watch. A call of `tick` that has already begun is not interrupted.
  func cancel() {
    timer.cancel()
    state.withLock { $0.reader }?.cancel()
  }

  private func logWasWritten() {
    schedule(state.withLock { $0.echoes.written() })
  }

  private func timeHasCome() {
    tick()
    schedule(state.withLock { $0.echoes.ticked() })
  }

  private func schedule(_ echo: Duration?) {
    guard let echo else { return }
    timer.schedule(deadline: .now() + .milliseconds(Int(echo / .milliseconds(1))))
  }
}
