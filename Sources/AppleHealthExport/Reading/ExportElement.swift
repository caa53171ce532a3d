/// An element of an export with all that it holds.
struct ExportElement: Sendable {
  struct Attribute: Sendable {
    let name: String
    let value: String
  }

  let name: String
  let attributes: [Attribute]
  var children: [ExportElement] = []

  /// The first value of that name.
  subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// iOS 16 writes the end of some elements under the name of the start, as a second one.
  var end: String? {
    self["endDate"] ?? attributes.filter { $0.name == "startDate" }.dropFirst().first?.value
  }

  func children(named name: String) -> [ExportElement] { children.filter { $0.name == name } }
}
