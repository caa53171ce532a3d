import Glibc
import Synchronization

/// The reader of our output is gone.
struct ClosedPipe: Error {}

/// Lines of data for whoever reads them, gathered so that a million samples are not a million system calls.
enum StandardOutput {
  private static let buffer = Mutex<[UInt8]>([])

  static func write(_ line: String) throws {
    let isFull = buffer.withLock { buffer in
      buffer.append(contentsOf: line.utf8)
      buffer.append(UInt8(ascii: "\n"))
      return buffer.count >= 1 << 16
    }
    if isFull { try flush() }
  }

  /// - Throws: ``ClosedPipe`` where the reader is gone; ``Failure`` where the output cannot take more.
  static func flush() throws {
    let bytes = buffer.withLock { buffer in
      defer { buffer.removeAll(keepingCapacity: true) }
      return buffer
    }
    try writeAll(bytes, to: STDOUT_FILENO)
  }

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

/// What is not data: progress, notices, errors.
enum StandardError {
  /// An error, a step of what is going on, or what else the user should know: `hrgate: sentence`, as all
  /// commands say it.
  static func tell(_ text: String) { put(sentence(text) + "\n") }

  /// The text as ``tell(_:)`` has it: with the program's name, and on one line. Names of files, sources and
  /// monitors are in it, and a line that one of them began would say something in the program's name.
  static func sentence(_ text: String) -> String { "hrgate: " + text.plain }

  /// What is wrong with the arguments, and how the command is used: as many lines as that takes.
  ///
  /// - Parameter arguments: As they were typed, or given by a script: none of them begins a line.
  static func tellUsage(_ text: String, arguments: [String]) { put(usage(text, arguments: arguments) + "\n") }

  static func usage(_ text: String, arguments: [String]) -> String {
    let values = arguments.flatMap { argument in
      [argument]
        + (argument.firstIndex(of: "=").map { [String(argument[argument.index(after: $0)...])] } ?? [])
    }
    // The longer first: the shorter may be a part of them.
    let text = values.filter { $0 != $0.plain }.sorted { $0.count > $1.count }
      .reduce(text) { $0.replacing($1, with: $1.plain) }
    return "hrgate: "
      + text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).plain }
      .joined(separator: "\n")
  }

  /// Text as it stands, such as a question behind which the answer is typed.
  static func show(_ text: String) { put(text) }

  /// Rewrites the line on which the cursor stands.
  static func rewriteLine(_ text: String) { put("\r\u{1B}[K" + text) }

  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  private static func put(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
