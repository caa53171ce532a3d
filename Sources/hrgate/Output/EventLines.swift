import Channels
import Dispatch
import Synchronization

/// Lines for a reader that may be slow or stop reading. If the buffer is full, the oldest lines are dropped
/// and a notice with their count is printed.
final class EventLines: Sendable {
  private let waiting: WaitingLines
  private let output: BackgroundOutput

  /// - Parameters:
  ///   - capacity: Maximum number of pending lines.
  ///   - notice: Returns the line that replaces the given number of dropped lines.
  init(to descriptor: Int32, capacity: Int = 1000, notice: @escaping @Sendable (Int) -> String) {
    let waiting = WaitingLines(capacity: capacity, notice: notice)
    self.waiting = waiting
    output = BackgroundOutput(to: descriptor) { waiting.next() }
  }

  /// Queues a line. Does not block.
  func write(_ line: String) {
    waiting.append(line)
    output.wake()
  }

  /// Waits until everything is written or the timeout has passed.
  ///
  /// - Throws: ``ClosedPipeError`` if the reader has closed the pipe; ``CommandError`` if writing fails or
  ///   the timeout passes.
  func finish(within timeout: DispatchTimeInterval = .seconds(2)) throws {
    guard try !output.finish(within: timeout) else { return }
    throw CommandError("the reader of standard output is too slow: \(waiting.count) lines were not written")
  }
}

/// The pending lines.
private final class WaitingLines: Sendable {
  private let notice: @Sendable (Int) -> String
  private let backlog: Mutex<BoundedBuffer<String>>

  init(capacity: Int, notice: @escaping @Sendable (Int) -> String) {
    backlog = Mutex(BoundedBuffer(capacity: capacity))
    self.notice = notice
  }

  /// Number of pending lines, dropped lines, and the one being written.
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
