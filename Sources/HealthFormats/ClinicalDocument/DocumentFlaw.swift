/// What is wrong with a document. Names what is expected, never what was found.
public struct DocumentFlaw: Error, Hashable, Sendable, CustomStringConvertible {
  public let reason: String

  public var description: String { reason }

  init(_ reason: String) {
    self.reason = reason
  }
}
