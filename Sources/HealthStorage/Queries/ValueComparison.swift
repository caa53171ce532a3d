/// A comparison of two numbers. The raw value is the SQL operator.
package enum ValueComparison: String, Hashable, Codable, Sendable {
  case less = "<"
  case lessOrEqual = "<="
  case equal = "="
  case notEqual = "<>"
  case greaterOrEqual = ">="
  case greater = ">"

  package func holds<Number: Comparable>(_ one: Number, _ other: Number) -> Bool {
    switch self {
    case .less: one < other
    case .lessOrEqual: one <= other
    case .equal: one == other
    case .notEqual: one != other
    case .greaterOrEqual: one >= other
    case .greater: one > other
    }
  }
}
