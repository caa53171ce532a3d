/// Why no document can be written. The text is for whoever edits the tables.
struct CoverageFailure: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
