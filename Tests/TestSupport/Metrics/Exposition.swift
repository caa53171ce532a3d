import Foundation

/// A parsed metrics text. It follows Prometheus' text format strictly: each family has its help and type
/// before its samples, which are consecutive, and no sample occurs twice.
struct Exposition {
  struct ParseError: Error, CustomStringConvertible {
    var description: String
  }

  struct Sample: Hashable {
    var name: String
    var labels: [String: String]
  }

  private(set) var types: [String: String] = [:]
  private(set) var helps: [String: String] = [:]
  private(set) var samples: [Sample: Double] = [:]

  init(_ text: String) throws {
    guard text.isEmpty || text.hasSuffix("\n") else {
      throw ParseError(description: "no line feed at the end")
    }
    var family: String?
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let line = String(line)
      if let head = line.wholeMatch(of: #/# HELP (\S+) ([\s\S]*)/#) {
        let name = String(head.1)
        try require(helps.updateValue(String(head.2), forKey: name) == nil, "help twice: \(name)")
        family = nil
      } else if let head = line.wholeMatch(of: #/# TYPE (\S+) (counter|gauge)/#) {
        let name = String(head.1)
        try require(name.wholeMatch(of: #/[a-zA-Z_:][a-zA-Z0-9_:]*/#) != nil, "no name: \(name)")
        try require(helps[name] != nil && types[name] == nil, "type without help, or twice: \(name)")
        types[name] = String(head.2)
        try require(head.2 != "counter" || name.hasSuffix("_total"), "a counter's name: \(name)")
        try require(head.2 != "gauge" || !name.hasSuffix("_total"), "a gauge's name: \(name)")
        family = name
      } else {
        let (sample, value) = try Self.sample(line)
        try require(sample.name == family, "not with its family: \(line)")
        try require(samples.updateValue(value, forKey: sample) == nil, "twice: \(line)")
      }
    }
  }

  /// Returns the sum of a family's samples that have the given labels.
  func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
    samples.filter { sample, _ in
      sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
    }.map(\.value).reduce(0, +)
  }

  private func require(_ holds: Bool, _ text: String) throws {
    if !holds { throw ParseError(description: text) }
  }

  private static func sample(_ line: String) throws -> (Sample, Double) {
    let fault = ParseError(description: "no sample: \(line)")
    guard let match = line.wholeMatch(of: #/([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([\s\S]*)\})? (\S+)/#),
      let value = Double(match.3)
    else { throw fault }
    var labels: [String: String] = [:]
    var rest = Substring(match.2 ?? "")
    while !rest.isEmpty {
      guard let label = rest.prefixMatch(of: #/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/#),
        labels.updateValue(unescaped(label.2), forKey: String(label.1)) == nil
      else { throw fault }
      rest = rest[label.range.upperBound...]
    }
    return (Sample(name: String(match.1), labels: labels), value)
  }

  private static func unescaped(_ text: Substring) -> String {
    var plain = ""
    var escapes = false
    for scalar in text.unicodeScalars {
      if escapes {
        plain.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
        escapes = false
      } else if scalar == "\\" {
        escapes = true
      } else {
        plain.unicodeScalars.append(scalar)
      }
    }
    return plain
  }
}
