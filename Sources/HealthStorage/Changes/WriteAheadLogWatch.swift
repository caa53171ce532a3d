// Dispatch sources may be used from any thread, but are not marked Sendable.
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Watches the write-ahead log of a database for the writes of other processes.
///
/// The kernel tells (inotify) that the log was written to, which is some time before the commit can be seen:
/// SQLite syncs the log first, which takes a while on a memory card, and many seconds on a disk that somebody
/// else keeps busy. So each write is followed by ticks at growing distances, for nearly three minutes: a
/// commit is seen after no more than twice the time that it took, and a second where nobody is in haste. A
/// commit may be under way when the watch begins, with all its writes behind it, so it begins with the echoes
/// of a write. Where the kernel has no watch to give (its number is limited), ticks come by the clock.
final class WriteAheadLogWatch: Sendable {
  /// Where the kernel tells nothing.
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
  ///   - asksTheKernel: false for ticks by the clock alone, as when the kernel has no watch left.
  ///   - mayBeLate: false where nothing was written before, so that the first tick is that of a write.
  init(
    ofDatabaseAt path: String, _ haste: CommitHaste = .prompt, asksTheKernel: Bool = true,
    mayBeLate: Bool = true, tick: @escaping @Sendable () -> Void
  ) {
    self.tick = tick
    state = Mutex(State(echoes: WriteEchoes(haste)))
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

  /// No tick comes after this, except one that is already on its way.
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
