import Foundation
import Glibc
import Synchronization

/// Lines of standard input, delivered to the latest request.
///
/// A request can end early, for example when its pairing ends, but a blocking read cannot be canceled. So
/// there is one reader, and a line goes to the latest request.
final class TerminalLines: Sendable {
  static let shared = TerminalLines()

  /// The pending request; `nil` if no line is requested. Nothing is being read then.
  private let asker = Mutex<AsyncStream<String?>.Continuation?>(nil)

  /// Waits for a line of standard input.
  /// - Returns: The line, or `nil` at the end of the input.
  func next() async -> String? {
    let (lines, continuation) = AsyncStream.makeStream(of: String?.self)
    let before = asker.withLock { asker in
      defer { asker = continuation }
      return asker
    }
    if before == nil {
      // Reading blocks, so it uses its own thread.
      Thread { self.read() }.start()
    } else {
      // A line typed for the earlier request must not answer this one. The earlier request stays pending:
      // ending it would count as a "no" of the user.
      tcflush(STDIN_FILENO, TCIFLUSH)
    }
    return await lines.first { _ in true } ?? nil
  }

  private func read() {
    let line = readLine()
    let last = asker.withLock { $0.take() }
    last?.yield(line)
    last?.finish()
  }
}
