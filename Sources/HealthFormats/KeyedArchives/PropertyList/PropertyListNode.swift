/// An object of a property list. Containers refer to their elements by index, so an element that several
/// containers share exists only once.
enum PropertyListNode {
  case null
  case bool(Bool)
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  case real(Double)
  /// Seconds since 2001-01-01 UTC.
  case date(Double)
  /// The range of the bytes in the file.
  case data(Range<Int>)
  case string(String)
  case uid(Int)
  case array(References)
  case set(References)
  case dictionary(keys: References, values: References)

  /// The references of a container, which are consecutive in the file. They are read on demand, because each
  /// takes only one or two bytes in the file.
  struct References {
    var start: Int
    var count: Int
  }

  /// The references of a container; empty for other nodes.
  var references: [References] {
    switch self {
    case .array(let elements), .set(let elements): [elements]
    case .dictionary(let keys, let values): [keys, values]
    default: []
    }
  }
}
