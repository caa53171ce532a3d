import Glibc

/// The lines of standard input.
///
/// Read with `read`, not with `readLine()`, which would hold the lock of standard input while it waits, and
/// keep the process from ending.
enum TypedLines {
  /// More than a terminal's own limit.
  private static let longest = 4096

  /// Waits for each line, until the input ends. A line that is too long is left out.
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
