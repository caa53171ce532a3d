import Glibc

/// Where an application shows what it has to say.
public enum Screen {
  /// Shows a line, without the characters in it that would move the cursor or turn the direction of writing:
  /// names come from other programs.
  public static func show(_ line: String) {
    var bytes = Array(plain(line).utf8) + [UInt8(ascii: "\n")]
    while !bytes.isEmpty {
      let count = write(STDOUT_FILENO, bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      // Nobody is there to be told that nobody is there.
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
