import Dispatch
import Glibc
import Synchronization

/// Lines on a terminal that are rewritten in place; nothing if the output is no terminal.
///
/// The terminal may be halted, or slow: then it gets the newest lines when it goes on, and nobody waits for
/// it. When its size changes, the lines are made anew for the new one.
final class LiveTable: Sendable {
  typealias Content = @Sendable (TerminalSize) -> [String]

  let isVisible: Bool
  private let frames: LiveFrames
  private let output: BackgroundOutput
  // Made here and cancelled at the end; a dispatch source may be cancelled from any thread.
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

  /// Shows these lines in place of the ones before, cut where there is no room for them. Never waits.
  func show(_ lines: [String]) { show { _ in lines } }

  /// Shows in place of what was before what `content` makes of the terminal's size. It is called for each
  /// drawing, on any thread, and says how things are then. Never waits.
  func show(_ content: @escaping Content) {
    guard isVisible else { return }
    frames.content = content
    output.wake()
  }

  /// Draws anew, if there is something to draw. Never waits.
  func redraw() {
    guard isVisible else { return }
    output.wake()
  }

  /// The lines stay, and what is written next stands below them. Waits so long for a halted terminal.
  func end(within patience: DispatchTimeInterval = .seconds(2)) throws {
    guard isVisible else { return }
    _ = try output.finish(within: patience)
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

/// What stands on the terminal, and what is to stand there.
private final class LiveFrames: Sendable {
  private struct State {
    var content: LiveTable.Content?
    var shown: [String] = []
    /// The size for which that was made.
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

  /// The way from what was written last to how things are now; `nil` if that is the same.
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

/// How much has room on a terminal.
struct TerminalSize: Hashable {
  var rows = 24
  var columns = 80

  init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  /// That of a VT100 where the terminal does not say.
  init(of descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return }
    if size.ws_row > 0 { rows = Int(size.ws_row) }
    if size.ws_col > 0 { columns = Int(size.ws_col) }
  }

  /// The lines that can be rewritten in place: one that wraps would be two, and the cursor does not return to
  /// one that has left the screen at the top. The last row is the cursor's.
  func clip(_ lines: [String]) -> [String] {
    let room = max(1, rows - 1)
    let shown =
      lines.count <= room
      ? lines
      : lines.prefix(room - 1) + ["… and \(Counted.text(lines.count - room + 1, "more line", "more lines"))"]
    return shown.map { $0.prefix(columns: columns) }
  }

  /// What makes of the lines that stand on the terminal these ones, written from its last row on.
  ///
  /// - Parameter before: The size for which those were made. Where it was another, the terminal may have
  ///   wrapped them, cut them or moved them: no way leads back to the first, and the screen is begun anew.
  func rewriting(_ shown: [String], of before: TerminalSize?, as lines: [String]) -> String {
    let isResized = !shown.isEmpty && before != self
    let start = isResized ? "\u{1B}[H\u{1B}[2J" : shown.isEmpty ? "" : "\u{1B}[\(shown.count)A"
    return start + lines.map { "\r\u{1B}[K" + $0 + "\n" }.joined() + "\u{1B}[J"
  }
}
