extension MetricFamily {
  /// Returns the families as text. Families without samples are left out.
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

  /// Escapes characters that would end a line or a quoted value.
  private static func escaped(_ text: String, isQuoted: Bool = false) -> String {
    var escaped = String.UnicodeScalarView()
    // Iterate over scalars: a line feed after a carriage return, or a quote with an accent, is only a part of
    // a character.
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
