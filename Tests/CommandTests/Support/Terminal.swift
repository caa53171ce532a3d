import Glibc
import Testing

/// A terminal emulator with the control sequences that the table uses.
final class Terminal {
  let master: Int32
  let slave: Int32
  private(set) var rows: [[Character]]
  private var columns: Int
  private var row = 0
  private var column = 0
  /// An incomplete control sequence.
  private var begun: [UInt8] = []

  init(rows: Int, columns: Int) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // Does the work of `unlockpt` and `ptsname` with TIOCSPTLCK and TIOCGPTN, because the headers declare
    // those only for GNU programs.
    var lock: Int32 = 0
    var number: UInt32 = 0
    _ = ioctl(master, 0x4004_5431, &lock)
    _ = ioctl(master, 0x8004_5430, &number)
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    self.columns = columns
    self.rows = Array(repeating: [], count: rows)
    // Otherwise the line discipline would add a carriage return to each line feed.
    var settings = termios()
    tcgetattr(slave, &settings)
    settings.c_oflag &= ~tcflag_t(OPOST)
    tcsetattr(slave, TCSANOW, &settings)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    setSize()
    try #require(slave >= 0)
  }

  deinit { for end in [master, slave] { close(end) } }

  /// Rewraps the lines as terminals do: a line that is longer than the new width takes several rows.
  func resize(rows count: Int, columns: Int) {
    self.columns = columns
    rows = rows.flatMap { row in
      row.isEmpty
        ? [row]
        : stride(from: 0, to: row.count, by: columns).map { Array(row[$0..<min($0 + columns, row.count)]) }
    }
    while rows.count > count, rows.last?.isEmpty == true { rows.removeLast() }
    while rows.count > count { rows.removeFirst() }
    while rows.count < count { rows.append([]) }
    row = min(count - 1, (rows.lastIndex { !$0.isEmpty } ?? -1) + 1)
    column = 0
    setSize()
  }

  private func setSize() {
    var size = winsize(
      ws_row: UInt16(rows.count), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// The shown rows, without empty ones at the end.
  var shown: [String] {
    let lines = rows.map { String($0) }
    return Array(lines.prefix((lines.lastIndex { !$0.isEmpty } ?? -1) + 1))
  }

  /// Processes the output written so far.
  func look() {
    var bytes = begun
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(master, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    begun = []
    if let escape = bytes.lastIndex(of: 0x1B),
      !bytes[escape...].contains(where: { Unicode.Scalar($0).properties.isAlphabetic })
    {
      begun = Array(bytes[escape...])
    }
    interpret(Array(String(decoding: bytes.dropLast(begun.count), as: UTF8.self).unicodeScalars))
  }

  private func interpret(_ text: [Unicode.Scalar]) {
    var place = 0
    while place < text.count {
      let scalar = text[place]
      place += 1
      switch scalar {
      case "\r": column = 0
      case "\n":
        if row == rows.count - 1 {
          rows.removeFirst()
          rows.append([])
        } else {
          row += 1
        }
        column = 0
      case "\u{1B}":
        let end = text[place...].firstIndex { $0.properties.isAlphabetic } ?? text.count - 1
        let number = Int(String(String.UnicodeScalarView(text[(place + 1)..<end])))
        control(text[end], number)
        place = end + 1
      default: put(Character(scalar))
      }
    }
  }

  private func control(_ letter: Unicode.Scalar, _ number: Int?) {
    switch letter {
    case "A": row = max(0, row - (number ?? 1))
    case "H": (row, column) = (0, 0)
    case "K": rows[row].removeLast(max(0, rows[row].count - column))
    case "J":
      let first = number == 2 ? 0 : row + 1
      if number != 2 { control("K", nil) }
      for row in rows.indices where row >= first { rows[row] = [] }
    default: Issue.record("a control sequence that the terminal does not know: \(letter)")
    }
  }

  private func put(_ character: Character) {
    if column == columns {
      row = min(row + 1, rows.count - 1)
      column = 0
    }
    while rows[row].count <= column { rows[row].append(" ") }
    rows[row][column] = character
    column += 1
  }
}
