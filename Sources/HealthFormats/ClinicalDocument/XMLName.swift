/// The name of an element, whatever prefix stands for its namespace.
struct XMLName: Hashable {
  /// Empty for none.
  let namespace: String
  let local: String
}

/// A name as a document spells it.
struct XMLQualifiedName: Hashable {
  let prefix: String?
  let local: String
}
