/// A cache of the indices at which keys were found last, by the low bits of the keys. With a few dozen
/// peripherals, lookups need no search.
///
/// A hint may be outdated or belong to another key. Check that the element at its index has the key.
public struct PlaceHints: Sendable {
  @usableFromInline var places = InlineArray<64, Int32>(repeating: 0)

  public init() {}

  @inlinable @inline(__always)
  public subscript(key: UInt64) -> Int {
    get { Int(places[Int(truncatingIfNeeded: key & 63)]) }
    set { places[Int(truncatingIfNeeded: key & 63)] = Int32(truncatingIfNeeded: newValue) }
  }
}
