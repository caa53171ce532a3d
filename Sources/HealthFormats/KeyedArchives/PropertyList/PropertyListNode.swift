/// An object of a property list. Containers hold references to other nodes, so that a shared node exists
/// once.
enum PropertyListNode {
  case null
  case bool(Bool)
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  case real(Double)
  /// Seconds since 2001-01-01 UTC.
  case date(Double)
  /// Where in the file the bytes are.
  case data(Range<Int>)
  case string(String)
  case uid(Int)
  case array(References)
  case set(References)
  case dictionary(keys: References, values: References)

  /// Consecutive references in the file; they are read on demand, since each is only a byte or two there.
  struct References {
    var start: Int
    var count: Int
  }

  /// The references of a container; empty for anything else.
  var references: [References] {
    switch self {
    case .array(let elements), .set(let elements): [elements]
    case .dictionary(let keys, let values): [keys, values]
    default: []
    }
  }
}
