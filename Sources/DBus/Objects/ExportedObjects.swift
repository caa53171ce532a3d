/// What a connection exports, by path. Paths between them have nodes too, which only introspection shows.
struct ExportedObjects {
  private(set) var objects: [ObjectPath: ExportedObject] = [:]

  /// - Throws: `BusError` with `.alreadyTaken`, or `.invalidMessage` for a description that is none.
  mutating func insert(_ object: ExportedObject, at path: ObjectPath) throws(BusError) {
    try object.check()
    guard objects[path] == nil else { throw BusError(.alreadyTaken, "\(path) is exported already") }
    objects[path] = object
  }

  mutating func remove(_ path: ObjectPath) -> ExportedObject? {
    objects.removeValue(forKey: path)
  }

  /// Whether the path is an object or leads to one. The root always is a node.
  func hasNode(_ path: ObjectPath) -> Bool {
    path == .root || objects.keys.contains { $0.hasPrefix(path) }
  }

  /// The names of the nodes right below, in alphabetical order.
  func children(of path: ObjectPath) -> [String] {
    let depth = path.components.count
    let names = objects.keys.filter { $0 != path && $0.hasPrefix(path) }.map { String($0.components[depth]) }
    return Set(names).sorted()
  }

  /// The objects below a path, and not at it.
  func objects(below path: ObjectPath) -> [ObjectPath: ExportedObject] {
    objects.filter { $0.key != path && $0.key.hasPrefix(path) }
  }

  /// The nearest object manager above a path.
  func manager(above path: ObjectPath) -> ObjectPath? {
    var place = path.parent
    while let here = place {
      if objects[here]?.isObjectManager == true { return here }
      place = here.parent
    }
    return nil
  }
}
