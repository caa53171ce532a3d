/// A problem found in a store. The text never contains a health value.
package struct StoreFinding: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    /// SQLite's pages, indexes or constraints.
    case file
    /// A row refers to a missing row.
    case reference
    /// Bytes that do not decode as beats, metadata, a series …
    case content
    /// A stored summary differs from the samples.
    case summary
    /// A position in the change log is used twice, or lies beyond the log's end.
    case changeLog
  }

  package var kind: Kind
  package var text: String
  package var count: Int

  package var description: String { count == 1 ? text : "\(count) × \(text)" }
}
