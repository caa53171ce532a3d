/// A number of a property list, read as the kinds of numbers that objects ask for. Nil where it would not be
/// the same number.
struct ArchivedNumber {
  private let node: PropertyListNode

  /// Nil if the node is no number.
  init?(_ node: PropertyListNode) {
    switch node {
    case .bool, .integer, .unsigned, .real: self.node = node
    default: return nil
    }
  }

  var bool: Bool? {
    switch node {
    case .bool(let value): value
    case .integer(let value): value != 0
    default: nil
    }
  }

  var real: Double? {
    switch node {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  var int: Int? { integer() }
  var int32: Int32? { integer() }
  var int64: Int64? { integer() }

  private func integer<Integer: FixedWidthInteger>() -> Integer? {
    switch node {
    case .bool(let value): value ? 1 : 0
    case .integer(let value): Integer(exactly: value)
    case .unsigned(let value): Integer(exactly: value)
    case .real(let value): Integer(exactly: value)
    default: nil
    }
  }
}
