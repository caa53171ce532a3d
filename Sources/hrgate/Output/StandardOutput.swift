import Glibc
import Synchronization

/// The error for a closed pipe: the reader has ended.
struct ClosedPipeError: Error {}

/// Buffered standard output for data. Without the buffer, each sample would be a system call.
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

  /// Writes the buffered data.
  ///
  /// - Throws: ``ClosedPipeError`` if the reader has closed the pipe; ``CommandError`` if writing fails.
  static func flush() throws {
    let bytes = buffer.withLock { buffer in
      defer { buffer.removeAll(keepingCapacity: true) }
      return buffer
    }
    try writeAll(bytes, to: STDOUT_FILENO)
  }

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

/// Standard error, for progress, notices and errors.
enum StandardError {
  /// Prints a message in the form of all commands: `hrgate: sentence`.
  static func print(_ text: String) { put(sentence(text) + "\n") }

  /// Returns the line that ``print(_:)`` prints. Control characters are removed, because names of files,
  /// sources and monitors could otherwise fake a line of hrgate's.
  static func sentence(_ text: String) -> String { "hrgate: " + text.plain }

  /// Prints a usage error and the usage, on as many lines as needed.
  ///
  /// - Parameter arguments: The arguments as given. Their control characters are removed.
  static func printUsage(_ text: String, arguments: [String]) {
    put(usage(text, arguments: arguments) + "\n")
  }

  static func usage(_ text: String, arguments: [String]) -> String {
    let values = arguments.flatMap { argument in
      [argument]
        + (argument.firstIndex(of: "=").map { [String(argument[argument.index(after: $0)...])] } ?? [])
    }
    // Replace longer values first, because a shorter one may be a part of them.
    let text = values.filter { $0 != $0.plain }.sorted { $0.count > $1.count }
      .reduce(text) { $0.replacing($1, with: $1.plain) }
    return "hrgate: "
      + text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).plain }
      .joined(separator: "\n")
  }

  /// Prints text unchanged, such as a question before the user's input.
  static func show(_ text: String) { put(text) }

  /// Rewrites the cursor's line.
  static func rewriteLine(_ text: String) { put("\r\u{1B}[K" + text) }

  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  private static func put(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
