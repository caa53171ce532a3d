/// What became of figures.
package struct DerivationTally: Hashable, Sendable {
  /// Stored where there was none.
  package var written = 0
  /// Stored in the place of another.
  package var replaced = 0
  /// Deleted, because what they were of is there no more or is not enough.
  package var withdrawn = 0
  /// Found as they should be.
  package var unchanged = 0

  package init() {}

  static func += (tally: inout Self, other: Self) {
    tally.written += other.written
    tally.replaced += other.replaced
    tally.withdrawn += other.withdrawn
    tally.unchanged += other.unchanged
  }
}
