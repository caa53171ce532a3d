import Glibc

/// Reads lines from standard input.
///
/// Uses `read` instead of `readLine()`, which would lock standard input while it waits and prevent the
/// process from exiting.
enum TypedLines {
  /// Maximum length of a line in bytes, above the limit of terminals.
  private static let longest = 4096

  /// Calls `body` with each line until the end of the input. Lines that are too long are skipped.
  static func forEach(_ body: (String) -> Void) {
    var line: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1024)
    while true {
      let count = read(STDIN_FILENO, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      for byte in chunk.prefix(count) {
        if byte == UInt8(ascii: "\n") {
          if line.count <= longest { body(String(decoding: line, as: UTF8.self)) }
          line = []
        } else if line.count <= longest {
          line.append(byte)
        }
      }
    }
  }
}
