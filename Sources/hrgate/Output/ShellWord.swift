extension String {
  /// As a shell takes it, for a command that is to be copied.
  var shellWord: String {
    let isPlain = unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0)
    }
    return isPlain && !isEmpty ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }
}
