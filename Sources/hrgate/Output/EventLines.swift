import Channels
import Dispatch
import Synchronization

/// Lines for a reader who may be slow, or stop reading: so many wait, then the oldest are dropped, and a
/// notice counts them.
final class EventLines: Sendable {
  private let waiting: WaitingLines
  private let output: BackgroundOutput

  /// - Parameters:
  ///   - capacity: How many lines wait.
  ///   - notice: The line that stands where so many are missing.
  init(to descriptor: Int32, capacity: Int = 1000, notice: @escaping @Sendable (Int) -> String) {
    let waiting = WaitingLines(capacity: capacity, notice: notice)
    self.waiting = waiting
    output = BackgroundOutput(to: descriptor) { waiting.next() }
  }

  /// Never waits.
  func write(_ line: String) {
    waiting.append(line)
    output.wake()
  }

  /// Waits until all is written, or for so long.
  ///
  /// - Throws: ``ClosedPipe`` where the reader is gone; ``Failure`` where the output cannot take more, or
  ///   nobody reads it.
  func finish(within patience: DispatchTimeInterval = .seconds(2)) throws {
    guard try !output.finish(within: patience) else { return }
    throw Failure("standard output is not read: \(waiting.count) lines are not written")
  }
}

/// The lines that are not written yet.
private final class WaitingLines: Sendable {
  private let notice: @Sendable (Int) -> String
  private let backlog: Mutex<BoundedBuffer<String>>

  init(capacity: Int, notice: @escaping @Sendable (Int) -> String) {
    backlog = Mutex(BoundedBuffer(capacity: capacity))
    self.notice = notice
  }

  /// Those that wait, those that were dropped, and the one on its way.
  var count: Int { backlog.withLock { $0.count + 1 } }

  func append(_ line: String) { backlog.withLock { _ = $0.append(line) } }

  func next() -> String? {
    switch backlog.withLock({ $0.next() }) {
    case .element(let line): line + "\n"
    case .missing(let count): notice(count) + "\n"
    case nil: nil
    }
  }
}
