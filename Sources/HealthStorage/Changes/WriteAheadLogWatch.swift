// Dispatch sources may be used from any thread, but are not marked Sendable.
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Watches the write-ahead log of a database for the writes of other processes.
///
/// The kernel tells (inotify) that the log was written to, which is some time before the commit can be seen:
/// SQLite syncs the log first, which takes a while on a memory card, and many seconds on a disk that somebody
/// else keeps busy. So each write is followed by ticks at growing distances, for nearly three minutes: a
/// commit is seen after no more than twice the time that it took. Where the kernel has no watch to give (its
/// number is limited), ticks come by the clock.
final class WriteAheadLogWatch: Sendable {
  /// Where the kernel tells nothing.
  private static let period = DispatchTimeInterval.milliseconds(500)
  /// The first echo comes 10 ms after the write, each other one after twice the time of the one before; the
  /// last of them after 82 s.
  private static let firstEcho = 10
  private static let lastEcho = 13

  private struct State {
    /// Which echo comes next; nil after the last.
    var echo: Int?
    var reader: (any DispatchSourceRead)?
  }

  private let queue = DispatchQueue(label: "HealthStorage.WriteAheadLogWatch")
  private let timer: any DispatchSourceTimer
  private let state = Mutex(State())
  private let tick: @Sendable () -> Void

  /// - Parameter asksTheKernel: false for ticks by the clock alone, as when the kernel has no watch left.
  init(ofDatabaseAt path: String, asksTheKernel: Bool = true, tick: @escaping @Sendable () -> Void) {
    self.tick = tick
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
    let isDue = state.withLock { state in
      // The first echo is never put off: a log written without a pause would otherwise never tick.
      defer { state.echo = 0 }
      return state.echo != 0
    }
    if isDue { schedule(0) }
  }

  private func timeHasCome() {
    tick()
    let next = state.withLock { state -> Int? in
      guard let echo = state.echo else { return nil }
      state.echo = echo < Self.lastEcho ? echo + 1 : nil
      return state.echo
    }
    if let next { schedule(next) }
  }

  private func schedule(_ echo: Int) {
    timer.schedule(deadline: .now() + .milliseconds(Self.firstEcho << echo))
  }
}
