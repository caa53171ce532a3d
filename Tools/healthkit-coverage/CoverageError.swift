/// An error in the tables that prevents writing the document. Its description is for the editor of the
/// tables.
struct CoverageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
