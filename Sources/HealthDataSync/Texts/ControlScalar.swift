extension Unicode.Scalar {
  /// It does something to a terminal, or to whoever reads lines, beside taking its place.
  package var isControl: Bool {
    guard value < 0x20 || value >= 0x7F else { return false }
    return [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
      || properties.isBidiControl
  }
}
