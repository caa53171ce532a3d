/// What the table says about one quantity type.
struct QuantityTypeTraits: Sendable {
  let canonicalUnit: HKUnit
  let aggregationStyle: HKQuantityAggregationStyle

  /// By raw identifier.
  static let table: [String: QuantityTypeTraits] = {
    var units: [String: HKUnit] = [:]
    return rows.reduce(into: [:]) { table, row in
      let (identifier, symbol, style) = row
      let unit = units[symbol] ?? HKUnit(from: symbol)
      units[symbol] = unit
      table[identifier.rawValue] = QuantityTypeTraits(canonicalUnit: unit, aggregationStyle: style)
    }
  }()
}

extension HKQuantityTypeIdentifier {
  /// Every quantity type that is known, in the order of identifiers.
  package static var known: [HKQuantityTypeIdentifier] {
    QuantityTypeTraits.table.keys.sorted().map(HKQuantityTypeIdentifier.init(rawValue:))
  }
}
