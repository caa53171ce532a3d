extension KeyedArchive {
  /// The nodes that describe the classes of the archive's objects.
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
