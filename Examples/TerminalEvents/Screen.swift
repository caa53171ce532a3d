import Glibc

/// The output of an application.
public enum Screen {
  /// Prints a line without characters that move the cursor or change the writing direction. Names come from
  /// other programs and are untrusted.
  public static func show(_ line: String) {
    var bytes = Array(plain(line).utf8) + [UInt8(ascii: "\n")]
    while !bytes.isEmpty {
      let count = write(STDOUT_FILENO, bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      // Standard output is closed, so the error cannot be reported.
      guard count > 0 else { return }
      bytes.removeFirst(count)
    }
  }

  private static func plain(_ text: String) -> String {
    let shown = text.unicodeScalars.filter {
      $0.properties.generalCategory != .control && !$0.properties.isBidiControl
    }
    return String(String.UnicodeScalarView(shown))
  }
}
