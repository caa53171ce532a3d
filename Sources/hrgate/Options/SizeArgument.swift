import ArgumentParser

/// A size argument in bytes: a whole number and `K`, `M` or `G` (powers of 1024).
struct SizeArgument: CheckedArgument {
  private static let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]

  var octets: Int64

  init?(argument: String) {
    guard let unit = argument.last.flatMap({ Self.units[Character($0.uppercased())] }),
      let count = Int64(argument.dropLast()), count > 0, count <= (1 << 50) / unit
    else { return nil }
    octets = count * unit
  }

  static func rule(for argument: String) -> String {
    "a size is a whole number with K, M or G, such as 500K, 100M or 1G"
  }
}
