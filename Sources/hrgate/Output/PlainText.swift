import HealthDataSync

extension String {
  /// The text for a terminal: a monitor's or a program's name is its owner's choice, and in it characters
  /// that move the cursor, end the line or turn the direction of writing could make it say something else.
  var plain: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      text += scalar.isControl ? scalar.escaped(asASCII: true) : String(scalar)
    }
  }

  /// The lines of the text, each ``plain``.
  var plainLines: [String] { split(separator: "\n").map { String($0).plain } }
}
