import Foundation

/// The results of independent tools, which `Vectors/make_vectors.py` generates.
enum Vectors {
  static func read<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
    let place = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Vectors/\(name).json")
    return try JSONDecoder().decode(Value.self, from: Data(contentsOf: place))
  }

  /// Returns NN intervals in milliseconds: pyhrv's samples `short` (five minutes) and `long` (an hour), and
  /// the generated `steady`.
  static func series(_ name: String) throws -> [Double] {
    let all: [String: [Double]] = try read("series")
    return all[name] ?? []
  }
}

/// Returns whether two numbers are equal except for rounding.
func isClose(_ one: Double, _ other: Double, within relative: Double = 1e-9) -> Bool {
  abs(one - other) <= relative * max(abs(one), abs(other))
}

/// Returns whether two series are equal except for rounding, relative to the greatest number.
func areClose(_ one: [Double], _ other: [Double], within relative: Double = 1e-9) -> Bool {
  let greatest = other.map(abs).max() ?? 0
  return one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) <= relative * greatest }
}
