import Dispatch
import Glibc
import Synchronization

/// Lines on a terminal that are rewritten in place. Prints nothing if the output is not a terminal.
///
/// A halted or slow terminal never blocks the caller; it shows the latest lines when it continues. The lines
/// are created again when its size changes.
final class LiveTable: Sendable {
  typealias Content = @Sendable (TerminalSize) -> [String]

  let isVisible: Bool
  private let frames: LiveFrames
  private let output: BackgroundOutput
  // Created in `init` and canceled in `end`. A dispatch source may be canceled from any thread.
  private nonisolated(unsafe) let resizing: (any DispatchSourceSignal)?

  init(isVisible: Bool, to descriptor: Int32 = STDOUT_FILENO) {
    self.isVisible = isVisible
    let frames = LiveFrames(descriptor: descriptor)
    let output = BackgroundOutput(to: descriptor) { frames.next() }
    self.frames = frames
    self.output = output
    resizing = isVisible ? Self.onResizing { output.wake() } : nil
  }

  deinit { resizing?.cancel() }

  /// Replaces the shown lines, cut to the terminal's size. Does not block.
  func show(_ lines: [String]) { show { _ in lines } }

  /// Replaces the shown lines with the result of `content`, which is called for each redraw, on any thread.
  /// Does not block.
  func show(_ content: @escaping Content) {
    guard isVisible else { return }
    frames.content = content
    output.wake()
  }

  /// Redraws the current content. Does not block.
  func redraw() {
    guard isVisible else { return }
    output.wake()
  }

  /// Ends the table and leaves its lines on the terminal. Waits for a halted terminal until the timeout.
  func end(within timeout: DispatchTimeInterval = .seconds(2)) throws {
    guard isVisible else { return }
    _ = try output.finish(within: timeout)
    frames.end()
  }

  private static func onResizing(_ action: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
    signal(SIGWINCH, ignoreSignal)
    let source = DispatchSource.makeSignalSource(signal: SIGWINCH)
    source.setEventHandler(handler: action)
    source.resume()
    return source
  }
}

/// The shown lines and the next content.
private final class LiveFrames: Sendable {
  private struct State {
    var content: LiveTable.Content?
    var shown: [String] = []
    /// The terminal size for which the shown lines were made.
    var size: TerminalSize?
  }

  private let descriptor: Int32
  private let state = Mutex(State())

  init(descriptor: Int32) { self.descriptor = descriptor }

  var content: LiveTable.Content? {
    get { state.withLock { $0.content } }
    set { state.withLock { $0.content = newValue } }
  }

  func end() { state.withLock { $0 = State() } }

  /// Returns the output that updates the terminal; `nil` if nothing has changed.
  func next() -> String? {
    guard let content else { return nil }
    let size = TerminalSize(of: descriptor)
    let lines = size.clip(content(size))
    return state.withLock { state in
      guard lines != state.shown || size != state.size else { return nil }
      let text = size.rewriting(state.shown, of: state.size, as: lines)
      state.shown = lines
      state.size = size
      return text
    }
  }
}

/// The size of a terminal.
struct TerminalSize: Hashable {
  var rows = 24
  var columns = 80

  init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  /// Falls back to 80 × 24 if the terminal does not report a size.
  init(of descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return }
    if size.ws_row > 0 { rows = Int(size.ws_row) }
    if size.ws_col > 0 { columns = Int(size.ws_col) }
  }

  /// Cuts the number and length of lines so that all can be rewritten in place. A wrapped line would take two
  /// rows, and the cursor cannot return to lines that have scrolled off the top. The last row is for the
  /// cursor.
  func clip(_ lines: [String]) -> [String] {
    let room = max(1, rows - 1)
    let shown =
      lines.count <= room
      ? lines
      : lines.prefix(room - 1) + ["… and \(Counted.text(lines.count - room + 1, "more line", "more lines"))"]
    return shown.map { $0.prefix(columns: columns) }
  }

  /// Returns the output that replaces the shown lines, starting at the last row.
  ///
  /// - Parameter before: The terminal size when the shown lines were written. If it has changed, the terminal
  ///   may have wrapped or moved them, so the screen is cleared.
  func rewriting(_ shown: [String], of before: TerminalSize?, as lines: [String]) -> String {
    let isResized = !shown.isEmpty && before != self
    let start = isResized ? "\u{1B}[H\u{1B}[2J" : shown.isEmpty ? "" : "\u{1B}[\(shown.count)A"
    return start + lines.map { "\r\u{1B}[K" + $0 + "\n" }.joined() + "\u{1B}[J"
  }
}
