/// Looks up definitions of figures by name.
package enum FigureDefinitions {
  /// Returns the definitions by the JSON names of their figures, from lines of the form `name: definition`.
  package static func byName(_ lines: [String]) -> [String: String] {
    let pairs = lines.compactMap { line -> (String, String)? in
      guard let colon = line.firstRange(of: ": ") else { return nil }
      return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }
}
