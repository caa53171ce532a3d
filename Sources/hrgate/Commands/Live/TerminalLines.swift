import Foundation
import Glibc
import Synchronization

/// Lines of standard input, for whoever asked last.
///
/// A question may lapse, for instance when its pairing ends, but a read cannot be given up. So there is one
/// reader, and a typed line answers the latest question.
final class TerminalLines: Sendable {
  static let shared = TerminalLines()

  /// `nil` where nobody asks, and so nobody reads.
  private let asker = Mutex<AsyncStream<String?>.Continuation?>(nil)

  /// - Returns: `nil` where standard input ended.
  func next() async -> String? {
    let (lines, continuation) = AsyncStream.makeStream(of: String?.self)
    let before = asker.withLock { asker in
      defer { asker = continuation }
      return asker
    }
    if before == nil {
      // Reading blocks, so it has a thread of its own.
      Thread { self.read() }.start()
    } else {
      // A line typed for the earlier question does not answer this one. Whoever asked that waits on: an end
      // would count as the user's no.
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
