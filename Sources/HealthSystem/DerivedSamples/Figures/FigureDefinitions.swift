/// Looks up the definitions of computed values, such as `rmssd`, by their JSON names.
package enum FigureDefinitions {
  /// Returns the definitions by JSON name, from lines of the form `name: definition`.
  package static func byName(_ lines: [String]) -> [String: String] {
    let pairs = lines.compactMap { line -> (String, String)? in
      guard let colon = line.firstRange(of: ": ") else { return nil }
      return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }
}
