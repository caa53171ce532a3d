import Foundation

/// A keyed archive: a property list whose objects reference each other by UID.
struct KeyedArchive {
  let list: BinaryPropertyList
  /// The index of the property list node for the value "root" in "$top".
  let root: Int
  let objects: PropertyListNode.References

  init(parsing data: Data, limits: ArchiveLimits) throws(ArchiveError) {
    guard data.count <= limits.bytes else { throw ArchiveError(.limitExceeded("bytes"), offset: 0) }
    list = try BinaryPropertyList(parsing: [UInt8](data), limits: limits)
    let start = list.offsets[list.root]
    guard let outline = try list.entries(list.root),
      let archiver = outline["$archiver"], list.string(archiver) == "NSKeyedArchiver"
    else { throw ArchiveError(.notAnArchive, offset: start) }
    guard let version = outline["$version"], case .integer(100_000) = list.nodes[version] else {
      throw ArchiveError(.malformed("version of the archive"), offset: start)
    }
    guard let table = outline["$objects"], case .array(let objects) = list.nodes[table],
      objects.count > 0, list.string(list.target(0, of: objects)) == "$null"
    else { throw ArchiveError(.malformed("table of objects"), offset: start) }
    guard let top = outline["$top"], let root = try list.entries(top)?["root"] else {
      throw ArchiveError(.malformed("outermost object of the archive"), offset: start)
    }
    self.root = root
    self.objects = objects
  }

  /// Returns the index of the node for a UID, or nil for UID 0, which means no object.
  func object(_ uid: Int, from place: Int) throws(ArchiveError) -> Int? {
    guard uid < objects.count else {
      throw ArchiveError(.malformed("UID without an object"), offset: list.offsets[place])
    }
    return uid == 0 ? nil : list.target(uid, of: objects)
  }
}

extension KeyedArchive {
  /// Returns the indices of the nodes that describe classes of the archive's objects.
  func classDescriptions() throws(ArchiveError) -> Set<Int> {
    var descriptions: Set<Int> = []
    for uid in 1..<max(objects.count, 1) {
      guard let node = try object(uid, from: list.root),
        let reference = try list.entries(node)?["$class"], case .uid(let uid) = list.nodes[reference],
        let description = try object(uid, from: reference)
      else { continue }
      descriptions.insert(description)
    }
    return descriptions
  }
}
