/// A small cache for array searches: the index at which each key was last found. With a few dozen
/// peripherals, most lookups do not need a search.
///
/// Keys with the same low bits share an entry, and an entry may be outdated. So check that the element at the
/// returned index has the key.
public struct IndexHints: Sendable {
  @usableFromInline var indexes = InlineArray<64, Int32>(repeating: 0)

  public init() {}

  @inlinable @inline(__always)
  public subscript(key: UInt64) -> Int {
    get { Int(indexes[Int(truncatingIfNeeded: key & 63)]) }
    set { indexes[Int(truncatingIfNeeded: key & 63)] = Int32(truncatingIfNeeded: newValue) }
  }
}
