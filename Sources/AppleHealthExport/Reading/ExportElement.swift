/// An element of an export with its attributes and children.
struct ExportElement: Sendable {
  struct Attribute: Sendable {
    let name: String
    let value: String
  }

  let name: String
  let attributes: [Attribute]
  var children: [ExportElement] = []

  /// Returns the first value of an attribute.
  subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// The end time. iOS 16 writes the end of some elements as a second attribute with the name of the start.
  var end: String? {
    self["endDate"] ?? attributes.filter { $0.name == "startDate" }.dropFirst().first?.value
  }

  func children(named name: String) -> [ExportElement] { children.filter { $0.name == name } }
}
