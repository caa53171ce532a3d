/// The reason why no document can be written, for the editor of the tables.
struct CoverageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
