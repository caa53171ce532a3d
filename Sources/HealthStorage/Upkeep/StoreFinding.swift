/// What is wrong with a store, in words that hold no health value.
package struct StoreFinding: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    /// SQLite's pages, indexes or constraints.
    case file
    /// A row refers to one that is not there.
    case reference
    /// Bytes that should be beats, metadata, a series … are none.
    case content
    /// A kept figure is not what the samples say.
    case summary
    /// A place of the change log is taken twice, or lies beyond its end.
    case changeLog
  }

  package var kind: Kind
  package var text: String
  package var count: Int

  package var description: String { count == 1 ? text : "\(count) × \(text)" }
}
