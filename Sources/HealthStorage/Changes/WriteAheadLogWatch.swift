// Dispatch sources may be used from any thread, but are not marked Sendable.
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Watches the write-ahead log of a database for writes of other processes.
///
/// inotify reports the write to the log, but the commit is visible only after SQLite has synced the log. That
/// takes a while on a memory card, and many seconds on a busy disk. Each write is therefore followed by ticks
/// at increasing intervals for nearly three minutes. So a commit is noticed after at most twice the time that
/// it took, plus a second for ``CommitPriority/low``. A commit may be in progress when the watch starts,
/// so the watch starts with the ticks of a write. If the kernel provides no watch (their number is limited),
/// ticks are periodic.
final class WriteAheadLogWatch: Sendable {
  /// The interval of ticks without inotify.
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
  ///   - asksTheKernel: false for periodic ticks without inotify.
  ///   - mayBeLate: false if nothing was written before, so that the first tick follows a write.
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

  /// Stops the ticks, except one that is already being delivered.
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
