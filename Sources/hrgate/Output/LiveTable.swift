import Dispatch
import Glibc
import Synchronization

/// Lines on a terminal that are rewritten in place; nothing if the output is no terminal.
///
/// The terminal may be halted, or slow: then it gets the newest lines when it goes on, and nobody waits for
/// it.
final class LiveTable: Sendable {
  let isVisible: Bool
  private let frames: LiveFrames
  private let output: BackgroundOutput

  init(isVisible: Bool, to descriptor: Int32 = STDOUT_FILENO) {
    self.isVisible = isVisible
    let frames = LiveFrames(descriptor: descriptor)
    self.frames = frames
    output = BackgroundOutput(to: descriptor) { frames.next() }
  }

  /// Shows these lines in place of the ones before. Never waits.
  func show(_ lines: [String]) {
    guard isVisible else { return }
    frames.newest = lines
    output.wake()
  }

  /// The lines stay, and what is written next stands below them. Waits so long for a halted terminal.
  func end(within patience: DispatchTimeInterval = .seconds(2)) throws {
    guard isVisible else { return }
    _ = try output.finish(within: patience)
    frames.end()
  }
}

/// What stands on the terminal, and what is to stand there.
private final class LiveFrames: Sendable {
  private struct State {
    var newest: [String]?
    var shown: [String] = []
  }

  private let descriptor: Int32
  private let state = Mutex(State())

  init(descriptor: Int32) { self.descriptor = descriptor }

  var newest: [String]? {
    get { state.withLock { $0.newest } }
    set { state.withLock { $0.newest = newValue } }
  }

  func end() { state.withLock { $0 = State() } }

  /// The way from what was written last to the newest.
  func next() -> String? {
    let size = TerminalSize(of: descriptor)
    return state.withLock { state in
      guard let newest = state.newest else { return nil }
      state.newest = nil
      let lines = size.clip(newest)
      guard lines != state.shown else { return nil }
      var text = state.shown.isEmpty ? "" : "\u{1B}[\(state.shown.count)A"
      for line in lines { text += "\r\u{1B}[K" + line + "\n" }
      state.shown = lines
      return text + "\u{1B}[J"
    }
  }
}

/// How much has room on a terminal.
struct TerminalSize {
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
      lines.count <= room ? lines : lines.prefix(room - 1) + ["… and \(lines.count - room + 1) more"]
    return shown.map { $0.prefix(columns: columns) }
  }
}
