/// What is wrong with a document. Names what is expected, never what was found.
struct XMLFlaw: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
