extension MetricFamily {
  /// The families as text, without those that have no sample.
  public static func text(_ families: [MetricFamily]) -> String {
    families.filter { !$0.samples.isEmpty }.map(\.text).joined()
  }

  private var text: String {
    let head = "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
    return samples.reduce(into: head) { text, sample in text += line(sample) + "\n" }
  }

  private func line(_ sample: Sample) -> String {
    let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, isQuoted: true))\"" }
    let suffix = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
    return "\(name)\(suffix) \(Self.number(sample.value))"
  }

  /// What would end a line, or a value in quotes, is escaped.
  private static func escaped(_ text: String, isQuoted: Bool = false) -> String {
    var escaped = String.UnicodeScalarView()
    // By scalars: a line feed behind a carriage return, or a quote under an accent, is part of a character.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
      case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
      case "\"" where isQuoted: escaped.append(contentsOf: "\\\"".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }
}
