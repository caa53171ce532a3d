/// Where keys were found last, by their low bits: with a few dozen peripherals in turn, a look-up that
/// never searches.
///
/// A hint may be stale or another key's; who takes one checks that its place holds the key.
public struct PlaceHints: Sendable {
  @usableFromInline var places = InlineArray<64, Int32>(repeating: 0)

  public init() {}

  @inlinable @inline(__always)
  public subscript(key: UInt64) -> Int {
    get { Int(places[Int(truncatingIfNeeded: key & 63)]) }
    set { places[Int(truncatingIfNeeded: key & 63)] = Int32(truncatingIfNeeded: newValue) }
  }
}
