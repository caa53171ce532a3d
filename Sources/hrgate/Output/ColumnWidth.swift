extension String {
  /// Width of the text in terminal columns, as `wcwidth` counts them. East Asian wide characters and emoji
  /// take two, combining marks none. If terminals differ, as for joined emoji, it is the largest width.
  var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  /// Returns the longest prefix that fits into `columns`, without splitting a character.
  func prefix(columns: Int) -> String {
    var room = columns
    return String(
      prefix { character in
        room -= String(character).columns
        return room >= 0
      })
  }
}

extension Unicode.Scalar {
  fileprivate var columns: Int {
    guard value >= 0x300 else { return 1 }
    // The variation selector makes the preceding character a wide emoji.
    if value == 0xFE0F { return 1 }
    if [.nonspacingMark, .enclosingMark, .format].contains(properties.generalCategory) { return 0 }
    return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
  }

  /// Blocks of East Asian wide and fullwidth characters (Unicode Standard Annex 11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x1_F300...0x1_F64F, 0x1_F900...0x1_F9FF, 0x2_0000...0x3_FFFD,
  ]
}
