import HealthDataSync

extension String {
  /// The text without control characters, for a terminal. Names of monitors and programs are chosen by others
  /// and could contain characters that move the cursor, end the line or change the writing direction.
  var plain: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      text += scalar.isControl ? scalar.escaped(asASCII: true) : String(scalar)
    }
  }

  /// The lines of the text, without control characters.
  var plainLines: [String] { split(separator: "\n").map { String($0).plain } }
}

extension String {
  /// The text quoted for a shell, for commands that the user copies.
  var shellWord: String {
    let isPlain = unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0)
    }
    return isPlain && !isEmpty ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }
}
