import Glibc
import Synchronization

/// Lines on a terminal that are written anew in their place; nothing where the output is none.
final class LiveTable: Sendable {
  private struct State {
    var lines: [String] = []
  }

  let isVisible: Bool
  private let state = Mutex(State())

  init(isVisible: Bool) { self.isVisible = isVisible }

  /// Shows these lines in place of the ones before.
  func show(_ lines: [String]) {
    guard isVisible else { return }
    state.withLock { state in
      guard lines != state.lines else { return }
      let width = Self.terminalWidth
      var text = state.lines.isEmpty ? "" : "\u{1B}[\(state.lines.count)A"
      // A line that wraps would be two, and the cursor would no longer find the first.
      for line in lines { text += "\r\u{1B}[K" + String(line.prefix(width)) + "\n" }
      text += "\u{1B}[J"
      state.lines = lines
      text.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
  }

  /// The lines stay, and what is written next stands below them.
  func end() { state.withLock { $0.lines = [] } }

  private static var terminalWidth: Int {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 120
  }
}
